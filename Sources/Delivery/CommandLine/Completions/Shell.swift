import Verbs

/// A shell that tapcard has a completion script for.
package enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
}

extension CommandTable {
    /// The completion script for a shell. The script gets its candidates from the program itself,
    /// so they match the installed version.
    package func completion(for shell: Shell) -> String {
        switch shell {
        case .bash: bashScript.replacing("PROGRAM", with: program)
        case .zsh: zshScript.replacing("PROGRAM", with: program)
        case .fish: fishScript.replacing("PROGRAM", with: program)
        }
    }
}

/// Bash splits words at "=" and ":" and expects candidates only for the last piece. The candidates
/// are quoted, because reader names contain spaces.
private let bashScript = #"""
    _PROGRAM() {
        local word words=() joins= piece=${COMP_WORDS[COMP_CWORD]} lines line
        for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
            if [[ $joins || $word == [=:]* ]]; then words[-1]+=$word; else words+=("$word"); fi
            if [[ $word == [=:]* ]]; then joins=yes; else joins=; fi
        done
        if [[ $piece == [=:]* ]]; then piece=; fi
        piece=${piece//\\/} word=${words[-1]//\\/}
        mapfile -t lines < <("${COMP_WORDS[0]}" help --complete "${words[@]:1}" 2> /dev/null)
        if [[ ${lines[0]} == :files ]]; then
            compopt -o filenames 2> /dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$piece")
        else
            COMPREPLY=()
            for line in "${lines[@]%%$'\t'*}"; do
                if [[ $line != "$word"* ]]; then continue; fi
                COMPREPLY+=("$(printf %q "${line#"${word%"$piece"}"}")")
            done
        fi
    }
    complete -F _PROGRAM PROGRAM

    """#

/// Zsh expects a word and its description with a colon between them, so other colons are escaped.
private let zshScript = #"""
    #compdef PROGRAM
    _PROGRAM() {
        local answer=$("$words[1]" help --complete "${(@)words[2,CURRENT]}" 2> /dev/null)
        local -a lines=(${(f)answer})
        if [[ $lines[1] == :files ]]; then
            compset -P '--*='
            _files
        else
            lines=("${(@)${(@)lines//:/\\:}/$'\t'/:}")
            _describe PROGRAM lines
        fi
    }
    if [[ $funcstack[1] == _PROGRAM ]]; then _PROGRAM; else compdef _PROGRAM PROGRAM; fi

    """#

private let fishScript = #"""
    function __PROGRAM_candidates
        set -l words (commandline -opc)
        set -l current (commandline -ct)
        set -l lines ($words[1] help --complete $words[2..] "$current" 2> /dev/null)
        if test "$lines[1]" = :files
            set -l name (string match -r -- '^--[^=]*=' "$current")
            set -l start (string replace -- "$name" '' "$current")
            string join \n -- "$name"(__fish_complete_path $start)
        else
            printf '%s\n' $lines
        end
    end
    complete -c PROGRAM -f -a '(__PROGRAM_candidates)'

    """#
