// Looks at target/site in a browser, as a reader without a network: no page may ask another host, fail
// in the console, be wider than its window or break a rule of axe, and the search must find. With
// DOCS_REPOSITORY, links to sources and "Edit this page" lead to files of the checkout; with DOCS_VERSIONS
// the menu at the top offers these sites.
// node check.mjs [folder for pictures]
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import puppeteer from 'puppeteer-core'

const here = dirname(fileURLToPath(import.meta.url))
const site = join(here, '../../target/site')
const base = process.env.DOCS_BASE || '/'
const checkout = join(here, '../..')
const repository = process.env.DOCS_REPOSITORY || ''
const versions = (process.env.DOCS_VERSIONS || '').split(',').filter(entry => entry.includes('='))
  .map(entry => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)])
const current = /<version>([^<]+)<\/version>/.exec(readFileSync(join(checkout, 'pom.xml'), 'utf8'))[1]
const pictures = process.argv[2]
const browserPath = [process.env.CHROME, '/usr/bin/chromium', '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']
  .find(path => path && existsSync(path))
if (!browserPath) {
  if (process.env.DOCS_BROWSER === 'required') throw new Error('there is no Chromium; CHROME names one')
  console.log('no Chromium: the site was not looked at')
  process.exit(0)
}
const pages = ['', 'tutorial.html', 'templates.html', 'architecture.html', 'guarantees.html',
  'reference/sql-functions.html', 'reference/metrics.html', 'adr/index.html']
const widths = [1440, 390]
const themes = ['light', 'dark']
/** Pages whose diagrams must be drawn. */
const drawn = ['architecture', 'approvals', 'batches', 'compensation', 'data-model', 'schedules',
  'state-machines', 'upgrading', 'waits', 'workers']
/** What a reader types, and the page that must be among the results. */
const searches = { PgBouncer: 'database', TK1503: 'log-events', 'tasker.worker.capacity': 'configuration' }
/** Twelve questions of an operator and twelve of a developer; the test of the pages has them too. */
const questions = readFileSync(join(checkout, 'src/test/resources/ee/tasker/docs/questions.txt'), 'utf8').split('\n')
  .filter(line => line && !line.startsWith('#')).map(line => line.split(' | '))
/** Pages on which a term is used whose author did not link it: the first use leads to the glossary. */
const termsOf = { architecture: 'fallback-poller', 'checking-the-product': 'lease', failures: 'wake-up', guarantees: 'dead-letter',
  troubleshooting: 'permit', 'reference/invariants': 'handoff' }
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml',
  '.webp': 'image/webp', '.png': 'image/png', '.woff2': 'font/woff2', '.json': 'application/json' }

const server = createServer((request, response) => {
  let path = decodeURIComponent(new URL(request.url, 'http://site').pathname).slice(base.length)
  let file = join(site, normalize('/' + path))
  if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html')
  if (!existsSync(file)) { response.writeHead(404).end(); return }
  response.writeHead(200, { 'Content-Type': types[extname(file)] || 'application/octet-stream' })
  createReadStream(file).pipe(response)
}).listen(0, '127.0.0.1')
await new Promise(resolve => server.once('listening', resolve))
const origin = `http://127.0.0.1:${server.address().port}`
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const wrong = []

const sourceLinks = linksToSources()
const entries = readFileSync(join(site, 'glossary.html'), 'utf8')
for (const [page, term] of Object.entries(termsOf)) {
  const links = readFileSync(join(site, `${page}.html`), 'utf8').split(`glossary.html#${term}"`).length - 1
  if (links !== 1 || !entries.includes(` id="${term}"`)) wrong.push(`${page}.html: ${links} links to ${term} in the glossary`)
}

const browser = await puppeteer.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
try {
  const page = await browser.newPage()
  await page.setRequestInterception(true)
  let where = ''
  page.on('request', request => {
    if (request.url().startsWith(origin) || request.url().startsWith('data:')) return request.continue()
    wrong.push(`${where}: asks ${request.url()}`)
    request.abort()
  })
  page.on('pageerror', error => wrong.push(`${where}: ${error.message}`))
  page.on('console', message => { if (message.type() === 'error') wrong.push(`${where}: ${message.text()}`) })
  page.on('response', answer => { if (answer.status() >= 400) wrong.push(`${where}: ${answer.status()} ${answer.url()}`) })

  for (const width of widths) {
    await page.setViewport({ width, height: width > 1000 ? 900 : 844 })
    for (const theme of themes) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme },
        { name: 'prefers-reduced-motion', value: 'reduce' }])
      for (const path of pages) {
        where = `${path || 'index.html'} (${theme}, ${width})`
        await page.goto(origin + base + path, { waitUntil: 'networkidle0' })
        await page.evaluate(() => Promise.all([...document.images].map(image => image.decode().catch(() => {
          throw new Error('no picture ' + image.src) }))))
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (wide > 0) wrong.push(`${where}: ${wide} pixels wider than the window`)
        if (path !== 'reference/sql-functions.html' || width > 1000) {
          await page.evaluate(axe)
          const result = await page.evaluate(() => axe.run(document, {
            resultTypes: ['violations'],
            // The name of the search button lacks the key that it shows beside it.
            rules: { 'label-content-name-mismatch': { enabled: false } }
          }))
          for (const rule of result.violations) {
            wrong.push(`${where}: ${rule.id} (${rule.impact}), ${rule.nodes.length} times: ${rule.nodes[0].html.slice(0, 160)}`)
          }
        }
        if (pictures) {
          mkdirSync(pictures, { recursive: true })
          await page.screenshot({ path: join(pictures, `${(path || 'index').replace(/\W/g, '-')}-${theme}-${width}.png`) })
        }
      }
    }
  }

  await page.setViewport({ width: 1440, height: 900 })
  await page.goto(origin + base, { waitUntil: 'networkidle0' })
  for (const name of drawn) {
    where = `${name}.html`
    await page.goto(`${origin}${base}${name}.html`, { waitUntil: 'networkidle0' })
    const diagrams = await page.evaluate(() => [...document.querySelectorAll('.mermaid')].map(it => !!it.querySelector('svg')))
    if (!diagrams.length || diagrams.includes(false)) wrong.push(`${where}: ${diagrams.filter(is => is).length} of ${diagrams.length} diagrams are drawn`)
  }
  await page.goto(origin + base, { waitUntil: 'networkidle0' })
  for (const [words, expected] of Object.entries(searches)) {
    where = `search for ${words}`
    await page.keyboard.press('/')
    await page.waitForSelector('#localsearch-input')
    await page.$eval('#localsearch-input', input => { input.value = '' })
    await page.type('#localsearch-input', words)
    try {
      await page.waitForFunction(name => [...document.querySelectorAll('#localsearch-list a')]
        .some(link => link.href.includes(name)), { timeout: 10_000 }, expected)
    } catch {
      wrong.push(`${where}: finds no page ${expected}`)
    }
    await page.keyboard.press('Escape')
    await page.goto(origin + base, { waitUntil: 'networkidle0' })
  }
  for (const [, question, path, , words] of questions) await followed(page, question, path.split(' > '), words)
  for (const width of widths) await menuOfVersions(page, width)
} finally {
  await browser.close()
  server.close()
}
/** Each page but the 404 has one link to edit it, and each link into the repository names a file; without one, none. */
function linksToSources() {
  let links = 0
  for (const file of readdirSync(site, { recursive: true }).filter(name => name.endsWith('.html') && name !== '404.html')) {
    const html = readFileSync(join(site, file), 'utf8')
    const hrefs = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(link => link[1])
    const edits = hrefs.filter(href => /\/edit\/main\//.test(href))
    if (edits.length !== (repository ? 1 : 0)) wrong.push(`${file}: ${edits.length} links to edit it`)
    for (const href of hrefs.filter(href => repository && href.startsWith(repository + '/'))) {
      const path = decodeURI(href.slice(repository.length).split('#')[0]).replace(/^\/(edit|blob)\/main\//, '')
      if (!existsSync(join(checkout, path))) wrong.push(`${file}: ${href} is no file of the checkout`)
      links++
    }
    const page = file.replace(/\.html$/, '.md')
    const source = 'docs/' + page.replace(/(^|[\\/])index\.md$/, '$1README.md').replaceAll('\\', '/')
    if (edits.length && edits[0] !== `${repository}/edit/main/${source}`) wrong.push(`${file}: ${edits[0]} edits another page`)
  }
  return links
}

/** A reader who clicks from the start page through these links reads the answer on the page on which they end. */
async function followed(page, question, path, words) {
  await page.goto(origin + base, { waitUntil: 'networkidle0' })
  for (const name of path) {
    const to = base + name.replace(/\.md$/, '.html')
    // In one step, because the page is made again while its scripts begin.
    const isClicked = await page.waitForFunction(to => {
      const link = [...document.querySelectorAll('.vp-doc a')].find(it => new URL(it.href).pathname === to)
      link?.click()
      return !!link
    }, { timeout: 5_000 }, to).catch(() => false)
    if (!isClicked) { wrong.push(`${question}: ${page.url()} has no link to ${to}`); return }
    await page.waitForFunction(to => location.pathname === to && document.querySelector('.vp-doc h1'), {}, to)
  }
  await page.waitForFunction(words => document.querySelector('.vp-doc').innerText.replace(/\s+/g, ' ').includes(words), { timeout: 5_000 }, words)
    .catch(() => wrong.push(`${question}: ${page.url()} does not say ${words}`))
}

/** The bar at the top, or the menu that opens on a telephone, shows the version; what it offers is what is configured. */
async function menuOfVersions(page, width) {
  const isNarrow = width < 768
  const where = `menu of versions (${width})`
  await page.setViewport({ width, height: 844 })
  await page.goto(`${origin}${base}tutorial.html`, { waitUntil: 'networkidle0' })
  if (isNarrow) await page.click('.VPNavBarHamburger')
  const menu = isNarrow ? '.VPNavScreenMenu' : '.VPNavBarMenu'
  await page.waitForSelector(menu, { visible: true })
  const button = await page.evaluateHandle((menu, text) => [...document.querySelectorAll(`${menu} a, ${menu} button`)]
    .find(it => it.innerText.trim() === text), menu, current)
  if (!button.asElement()) { wrong.push(`${where}: does not show ${current}`); return }
  if (!versions.length) return
  await button.asElement()[isNarrow ? 'click' : 'hover']()
  for (const [text, link] of versions) {
    const offered = await page.waitForFunction((menu, text) => [...document.querySelectorAll(`${menu} a`)]
      .find(it => it.innerText.trim() === text && it.offsetHeight), { timeout: 5_000 }, menu, text).catch(() => null)
    if (!offered) { wrong.push(`${where}: does not offer ${text}`); continue }
    const [href, target] = await offered.evaluate(it => [it.getAttribute('href'), it.target])
    if (href !== link || target && target !== '_self') wrong.push(`${where}: ${text} leads to ${href} ${target}`)
  }
}

if (wrong.length) {
  console.error([...new Set(wrong)].join('\n'))
  process.exit(1)
}
console.log(`${pages.length} pages in ${themes.length} themes and ${widths.length} widths, ${Object.keys(searches).length} searches, ${questions.length} questions, `
  + `${sourceLinks} links to sources, ${versions.length} other versions: nothing wrong`)
