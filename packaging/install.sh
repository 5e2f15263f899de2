#!/bin/sh
# Installs tapcard from this folder, or removes it again. As root:
#
#     ./install.sh                       the program, its manual, documents and completions
#     ./install.sh program udev service  also access rights for readers, and the service (not started)
#     ./install.sh --uninstall           removes all of that; keys, ledgers and settings stay
#
# The variables PREFIX and DESTDIR, and those below, choose other folders.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
DESTDIR=${DESTDIR:-}
PREFIX=${PREFIX:-/usr/local}
share=$PREFIX/share
UDEV_RULES=${UDEV_RULES:-/etc/udev/rules.d}
MODPROBE=${MODPROBE:-/etc/modprobe.d}
SYSTEMD=${SYSTEMD:-/etc/systemd}
SYSUSERS=${SYSUSERS:-/etc/sysusers.d}
ZSH=${ZSH:-$share/zsh/site-functions}

# The folder of a line of installed-files.
folder() {
    case "$1" in
    bin) echo "$PREFIX/bin" ;;
    man/*) echo "$share/$1" ;;
    bash) echo "$share/bash-completion/completions" ;;
    zsh) echo "$ZSH" ;;
    fish) echo "$share/fish/vendor_completions.d" ;;
    doc) echo "$share/doc/tapcard" ;;
    doc/*) echo "$share/doc/tapcard/${1#doc/}" ;;
    systemd/*) echo "$SYSTEMD/${1#systemd/}" ;;
    sysusers) echo "$SYSUSERS" ;;
    metainfo) echo "$share/metainfo" ;;
    udev) echo "$UDEV_RULES" ;;
    modprobe) echo "$MODPROBE" ;;
    *) echo "installed-files names an unknown folder: $1" >&2; exit 1 ;;
    esac
}

# What was installed of a part, so that a later version removes the files of an earlier one.
record() { echo "$DESTDIR$share/tapcard/$1.files"; }

uninstall() {
    list=$(record "$1")
    [ -e "$list" ] || return 0
    while IFS= read -r file; do rm -f "$DESTDIR$file"; done < "$list"
    rm -f "$list"
    # Folders of tapcard alone; others stay, even if they are empty now.
    rmdir "$DESTDIR$share/doc/tapcard/docs" "$DESTDIR$share/doc/tapcard/udev" \
        "$DESTDIR$share/doc/tapcard" "$DESTDIR$share/tapcard" 2>/dev/null || true
}

install_part() {
    uninstall "$1"
    installed=$(record "$1")
    mkdir -p "$(dirname "$installed")"
    while read -r part mode source place; do
        [ "$part" = "$1" ] || continue
        place=$(folder "$place")
        mkdir -p "$DESTDIR$place"
        for file in "$here"/$source; do
            # The list of contents is only in packages.
            [ -e "$file" ] || [ "$source" != tapcard.spdx.json ] || continue
            target=$place/$(basename "$file")
            # A running program keeps its file: the new one takes its name only when it is complete.
            case "$file" in
            *.service) sed "s|/usr/local/|$PREFIX/|" "$file" > "$DESTDIR$target.new" ;;
            *) cp "$file" "$DESTDIR$target.new" ;;
            esac
            chmod "$mode" "$DESTDIR$target.new"
            mv -f "$DESTDIR$target.new" "$DESTDIR$target"
            echo "$target" >> "$installed"
        done
    done < "$here/installed-files"
    chmod 644 "$installed"
}

# Lets the running system know; does nothing for files that were put below another root.
announce() {
    [ -z "$DESTDIR" ] || return 0
    case "$1" in
    service)
        [ "$2" = gone ] || ! command -v systemd-sysusers >/dev/null 2>&1 || systemd-sysusers
        # Without systemd as the first process nothing has to read the unit again.
        [ ! -d /run/systemd/system ] || systemctl daemon-reload
        ;;
    udev)
        # In a container udev is installed at times, but does not run.
        command -v udevadm >/dev/null 2>&1 && [ -S /run/udev/control ] || return 0
        udevadm control --reload
        udevadm trigger --action=change --subsystem-match=usb --subsystem-match=tty
        ;;
    esac
}

# These are loaded with the first card.
check_loaded() {
    PATH=$PATH:/sbin:/usr/sbin
    command -v ldconfig >/dev/null 2>&1 || return 0
    for library in libnettle.so.8 libcrypto.so.3; do
        ldconfig -p | grep -q "$library" && continue
        echo "$library is missing on this system, and nothing was installed." >&2
        echo "docs/INSTALL.md lists the libraries that tapcard needs." >&2
        exit 1
    done
}

# A program that does not start is refused before anything is written.
check_program() {
    [ -z "$DESTDIR" ] || return 0
    if "$here/tapcard" --version >/dev/null 2>&1; then
        check_loaded
        return
    fi
    echo "tapcard does not start on this system, and nothing was installed:" >&2
    if command -v ldd >/dev/null 2>&1; then
        ldd "$here/tapcard" 2>&1 | grep -i "not found" >&2 || "$here/tapcard" --version >&2 || true
    else
        "$here/tapcard" --version >&2 || true
    fi
    echo "docs/INSTALL.md lists the systems and the libraries that it needs." >&2
    exit 1
}

umask 022
news=installed
if [ "${1:-}" = --uninstall ]; then
    news=gone
    shift
    [ $# -gt 0 ] || set -- program service udev
fi
[ $# -gt 0 ] || set -- program
for part in "$@"; do
    case "$part" in
    program | service | udev) ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
for part in "$@"; do
    if [ "$news$part" = installedprogram ]; then check_program; fi
done
for part in "$@"; do
    if [ "$news" = gone ]; then uninstall "$part"; else install_part "$part"; fi
    announce "$part" "$news"
done
