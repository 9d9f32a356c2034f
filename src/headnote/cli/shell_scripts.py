"""The scripts that connect a shell with `headnote`: they pass on the line, and offer what comes back."""

from __future__ import annotations

BASH = r"""# headnote in bash
_headnote_complete() {
    local kind line
    COMPREPLY=()
    {
        read -r kind
        case $kind in
            folders) compopt -o dirnames 2>/dev/null ;;
            files) compopt -o default 2>/dev/null ;;
            *) while IFS= read -r line; do COMPREPLY+=("$line"); done ;;
        esac
    } < <(_HEADNOTE_COMPLETE=bash_complete _HEADNOTE_LINE="${COMP_LINE:0:COMP_POINT}" \
        _HEADNOTE_BREAKS="$COMP_WORDBREAKS" "$1" 2>/dev/null)
    # After a folder, or `openai:`, one goes on typing.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o nosort -F _headnote_complete headnote headnote-md 2>/dev/null ||
    complete -F _headnote_complete headnote headnote-md
"""

ZSH = r"""#compdef headnote headnote-md
# headnote in zsh
_headnote_complete() {
    local -a lines names shown beginnings
    local line value
    lines=("${(@f)$(_HEADNOTE_COMPLETE=zsh_complete \
        _HEADNOTE_LINE="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" "$words[1]" 2>/dev/null)}")
    case $lines[1] in
        folders) _path_files -/; return ;;
        files) _files; return ;;
    esac
    compset -P '--*='
    for line in "${(@)lines[2,-1]}"; do
        value=${line%%$'\t'*}
        if [[ $value == *[/:] ]]; then
            beginnings+=("$value")
        elif [[ -n $value ]]; then
            names+=("$value")
            shown+=("${line/$'\t'/  }")
        fi
    done
    if (( $#beginnings )); then compadd -V beginnings -S '' -a beginnings; fi
    if (( $#names )); then compadd -V values -l -d shown -a names; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }
compdef _headnote_complete headnote headnote-md
"""

FISH = r"""# headnote in fish
function _headnote_complete
    set -l program (commandline -opc)[1]
    set -l line (commandline -cp | string collect)
    set -l lines (env _HEADNOTE_COMPLETE=fish_complete _HEADNOTE_LINE=$line $program 2>/dev/null)
    switch "$lines[1]"
        case folders
            __fish_complete_directories (commandline -ct)
        case files
            __fish_complete_path (commandline -ct)
        case '*'
            test (count $lines) -gt 1; and printf '%s\n' $lines[2..-1]
    end
end
complete --no-files --command headnote --arguments '(_headnote_complete)'
complete --no-files --command headnote-md --arguments '(_headnote_complete)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
