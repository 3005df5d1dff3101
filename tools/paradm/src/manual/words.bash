
# The arrays that run, their gears, and the settings, where a word is none of the options.
_paradm_words() {
    local cur=${COMP_WORDS[COMP_CWORD]} words="" par
    _paradm "$@"
    [[ $cur == -* || ${COMP_WORDS[COMP_CWORD-1]} == --* && ${COMP_WORDS[COMP_CWORD-1]} != --array ]] && return 0
    case " ${COMP_WORDS[*]:1:COMP_CWORD-1} " in
        " policy set "*) [[ ${COMP_WORDS[COMP_CWORD-1]} == --array ]] || words="@SETTINGS@" ;;
        " shift ") words="up down top lowest $(cat /sys/block/md*/md/par/gears 2>/dev/null)" ;;
        " pin set ") words="top lowest $(cat /sys/block/md*/md/par/gears 2>/dev/null)" ;;
    esac
    case " ${COMP_WORDS[*]:1:COMP_CWORD-1} " in
        " policy set "*" --array " | *" status "* | *" explain "* | *" doctor "* | *" events "* | *" who "* | *" shift "*[!\ ]" " | *" pin set "*[!\ ]" " | *" show "* | *" end "* | *" preset "* | *" apply "* | *" off "* | *" start "* | *" limit "*[!\ ]" " | *" pause "*)
            for par in /sys/block/md*/md/par; do
                [[ ! -d $par ]] || { par=${par#/sys/block/}; words+=" ${par%%/*}"; }
            done
            for par in /dev/md/*; do [[ ! -b $par ]] || words+=" ${par##*/}"; done ;;
    esac
    [[ -z $words ]] || COMPREPLY+=($(compgen -W "$words" -- "$cur"))
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    return 0
}
complete -F _paradm_words -o bashdefault -o default paradm
