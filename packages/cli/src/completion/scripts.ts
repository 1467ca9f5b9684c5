/** The scripts get their candidates from `chatd __complete`. */
export const SCRIPTS = {
  bash: `_chatd() {
  local cur
  cur="\${COMP_WORDS[COMP_CWORD]}"
  local answer
  answer="$(chatd __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" || return
  COMPREPLY=()
  local line
  while IFS= read -r line; do
    case "$line" in
      ':files') COMPREPLY+=( $(compgen -f -- "$cur") ); compopt -o filenames 2>/dev/null ;;
      '') ;;
      *) COMPREPLY+=( "\${line%%$'\\t'*}" ) ;;
    esac
  done <<< "$answer"
}
complete -F _chatd chatd
`,
  zsh: `#compdef chatd
_chatd() {
  local -a answer options
  local line files=0
  answer=("\${(@f)$(chatd __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $answer; do
    if [[ $line == ':files' ]]; then files=1
    elif [[ -n $line ]]; then options+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( \${#options} )) && _describe 'chatd' options
  (( files )) && _files
}
compdef _chatd chatd
`,
  fish: `function __chatd_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (chatd __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = ':files'
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c chatd -f -a '(__chatd_complete)'
`,
} as const;
