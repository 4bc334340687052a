# Prints what zsh shows when its user types a line and presses the tabulator: zsh -f complete.zsh <completion script> <line>
zmodload zsh/zpty || exit 3
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= RPS1=; stty -echo columns 200; bindkey '^I' complete-word; LISTMAX=10000"
zpty -w shell "autoload -U compinit && compinit -u -D; source ${(q)1} && PS1='READ''Y>'"
# The prompt: the line editor reads the keys from here on. What comes before is lost to it.
zpty -r shell line '*READY>*'
zpty -w -n shell "$2"$'\t\t'
zpty -w shell $'\x15echo DON''E'
while zpty -r shell line; do print -r -- "$line"; [[ $line == *DONE* ]] && break; done
zpty -d shell
