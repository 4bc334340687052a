import { existsSync, readFileSync } from 'node:fs'
import { dirname, posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { withMermaid } from 'vitepress-plugin-mermaid'

/** docs/site/build puts a copy of docs beside node_modules, where pages find what they import. */
const docs = resolve(dirname(fileURLToPath(import.meta.url)), '../pages')
const checkout = resolve(docs, '../../..')
/** Where the sources can be read and edited; without it, such links are left out. */
const repository = process.env.DOCS_REPOSITORY || ''
const version = /<version>([^<]+)<\/version>/.exec(readFileSync(resolve(checkout, 'pom.xml'), 'utf8'))![1]
/** Sites of other versions, as in DOCS_VERSIONS="1.0=https://docs.example.org/1.0/,1.1=https://docs.example.org/1.1/". */
const versions = (process.env.DOCS_VERSIONS || '').split(',').filter(entry => entry.includes('='))
  .map(entry => ({ text: entry.slice(0, entry.indexOf('=')), link: entry.slice(entry.indexOf('=') + 1), target: '_self' }))
const withoutComments = (text: string) => text.replace(/<!--[\s\S]*?-->\n?/g, '')

/** The sidebar is the start page: its sections and their links, in one place only. */
function sidebar() {
  const start = readFileSync(resolve(docs, 'README.md'), 'utf8')
  return start.split(/^## /m).slice(1).map(section => ({
    text: section.slice(0, section.indexOf('\n')),
    items: [...section.matchAll(/\[([^\]]+)\]\(([^)]+\.md)(#[^)]*)?\)/g)]
      .filter(([, , page]) => !page.startsWith('..'))
      .map(([, text, page, anchor]) => ({
        text: text[0].toUpperCase() + text.slice(1),
        link: '/' + page.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '') + (anchor || '')
      }))
  }))
}

/** A link to a file outside of docs leads to the repository, or is plain text without one. */
function sources(md: any) {
  md.core.ruler.push('sources', (state: any) => {
    for (const block of state.tokens) {
      let isText = false
      for (const token of block.children || []) {
        if (token.type === 'link_open') {
          const href: string = token.attrGet('href')
          const here = posix.dirname(posix.join('docs', state.env.relativePath || ''))
          const target = /^(\.\.?\/|[\w-]+\/|[\w.-]+\.(md|sql|java|yaml))/.test(href)
            ? posix.normalize(posix.join(here, decodeURI(href.split('#')[0]))) : ''
          if (target && !target.startsWith('docs/')) {
            if (repository) {
              token.attrSet('href', `${repository}/blob/main/${target}`)
            } else {
              token.type = 'text'
              token.tag = ''
              token.nesting = 0
              token.content = ''
              isText = true
            }
          }
        } else if (token.type === 'link_close' && isText) {
          token.type = 'text'
          token.tag = ''
          token.nesting = 0
          token.content = ''
          isText = false
        }
      }
    }
  })
}

/** Words of the glossary that are ordinary ones elsewhere, too: a link on each page would be noise. */
const ordinary = new Set(['namespace', 'template', 'task', 'step', 'edge', 'context', 'decision', 'batch', 'cursor', 'grow',
  'wait', 'turn', 'approval', 'signal', 'schedule', 'catch up', 'child', 'notice', 'output', 'expression', 'handler', 'worker',
  'recovery', 'operator', 'actor', 'processor', 'state', 'terminal', 'readiness', 'offer', 'claim', 'outcome', 'attempt',
  'retry', 'settle', 'roll up', 'evaluate', 'yield', 'release', 'notification', 'stale', 'unclaimed', 'identity', 'replace',
  'admitted', 'counter', 'history', 'diagnosis', 'promise', 'retained', 'override', 'trace', 'problem', 'facade'])
const terms = [...readFileSync(resolve(docs, 'glossary.md'), 'utf8').split('## Names')[0].matchAll(/^### (.+)$/gm)]
  .map(([, term]) => term).filter(term => !ordinary.has(term))
const anyTerm = new RegExp(`(?<![\\w-])(${[...terms].sort((a, b) => b.length - a.length).join('|')})(?:s|es)?(?![\\w-])`, 'i')

/** The first use of a term on a page leads to the glossary, unless its author has linked it there. */
function glossary(md: any) {
  md.core.ruler.push('glossary', (state: any) => {
    const here: string = state.env.relativePath || ''
    if (here === 'glossary.md') return
    const page = posix.relative(posix.dirname(here), 'glossary.md')
    const anchor = (term: string) => term.toLowerCase().replaceAll(' ', '-')
    const linked = new Set<string>()
    for (const block of state.tokens) {
      for (const token of block.children || []) {
        const href = token.type === 'link_open' && token.attrGet('href')
        if (href && /glossary\.md#/.test(href)) linked.add(href.replace(/.*#/, ''))
      }
    }
    let isHeading = false
    for (const block of state.tokens) {
      if (block.type === 'heading_open') isHeading = true
      if (block.type === 'heading_close') isHeading = false
      if (block.type !== 'inline' || isHeading) continue
      const children: any[] = []
      let links = 0
      for (const token of block.children) {
        if (token.type === 'link_open') links++
        if (token.type === 'link_close') links--
        let rest: string = token.type === 'text' && !links ? token.content : ''
        if (!rest) { children.push(token); continue }
        const text = (content: string) => { const it = new state.Token('text', '', 0); it.content = content; children.push(it) }
        let before = ''
        for (let use = anyTerm.exec(rest); use; use = anyTerm.exec(rest)) {
          const end = use.index + use[0].length
          const target = anchor(use[1])
          if (linked.has(target)) {
            before += rest.slice(0, end)
          } else {
            linked.add(target)
            text(before + rest.slice(0, use.index))
            before = ''
            const open = new state.Token('link_open', 'a', 1)
            open.attrs = [['href', `${page}#${target}`]]
            children.push(open)
            text(use[0])
            children.push(new state.Token('link_close', 'a', -1))
          }
          rest = rest.slice(end)
        }
        text(before + rest)
      }
      block.children = children
    }
  })
}

/** For those who hear the page: a diagram is named after its section, and a table has no empty header. */
function spoken(md: any) {
  md.core.ruler.push('spoken', (state: any) => {
    let section = 'this page'
    state.tokens.forEach((token: any, i: number) => {
      if (token.type === 'heading_open') {
        section = state.tokens[i + 1].content.replace(/[^\w ,'-]/g, '')
      } else if (token.type === 'fence' && token.info.trim() === 'mermaid') {
        token.content = token.content.replace(/^.*\n/, (kind: string) => `${kind}  accTitle: ${section}\n`)
      } else if (token.type === 'th_open' && state.tokens[i + 1].content === '') {
        token.tag = state.tokens[i + 2].tag = 'td'
      }
    })
  })
}

export default withMermaid(defineConfig({
  srcDir: 'pages',
  outDir: '../site',
  cacheDir: '../site-cache',
  base: process.env.DOCS_BASE || '/',
  lang: 'en',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  title: 'Tasker EE',
  description: 'A durable workflow orchestrator for Jakarta EE and PostgreSQL',
  cleanUrls: false,
  ignoreDeadLinks: 'localhostLinks',
  rewrites: { 'README.md': 'index.md', 'adr/README.md': 'adr/index.md' },
  markdown: {
    html: false,
    config: (md: any) => { sources(md); glossary(md); spoken(md) },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { '': 'text' }
  },
  vite: {
    plugins: [{
      name: 'without-comments',
      enforce: 'pre',
      transform: (code: string, id: string) => id.endsWith('.md') ? withoutComments(code) : undefined
    }],
    build: { chunkSizeWarningLimit: 4000 },
    publicDir: false
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: { _render: (text, env, md) => md.render(withoutComments(text), env) }
    },
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Guarantees', link: '/guarantees' },
      { text: 'Glossary', link: '/glossary' },
      versions.length
        ? { text: version, items: [...versions, { text: 'Changes and releases', link: '/releasing' }] }
        : { text: version, link: '/releasing' }
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    ...(repository ? { editLink: { pattern: `${repository}/edit/main/docs/:path`, text: 'Edit this page' } } : {}),
    footer: { message: 'Apache-2.0' }
  },
  mermaid: { securityLevel: 'strict' }
}))

if (!existsSync(resolve(docs, 'README.md'))) {
  throw new Error('docs/README.md is the start page')
}
