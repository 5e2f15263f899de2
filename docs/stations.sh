#!/bin/bash
# Three tills on one ledger: a primary and a synchronous replica of PostgreSQL on this machine, each till
# with a simulated reader and a till page. The primary dies while they sell. The exit status is 0
# only if everything came out as it should.
set -uo pipefail

given=${1:?which tapcard?}
tapcard=$(realpath "$given")
programs=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)
home=$(mktemp -d)
chmod 755 "$home"
unset XDG_DATA_HOME XDG_CONFIG_HOME PGPASSWORD PGPASSFILE ${!TAPCARD_*}
bold='' plain=''
[ -t 1 ] && bold=$'\e[1m' plain=$'\e[0m'
pages=() failures=0

chapter() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
wrong() {
    printf '    WRONG: %s\n' "$*"
    failures=$((failures + 1))
}

# PostgreSQL refuses to run as root.
server() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$programs/$1" "${@:2}"
    else
        "$programs/$1" "${@:2}"
    fi
}

# start NODE: starts a node, which listens on a socket in its folder alone.
start() {
    server pg_ctl start --silent --wait --pgdata "$home/$1/data" --log "$home/$1/log" --options \
        "-k $home/$1 -c listen_addresses='' -c shared_buffers=64MB -c max_wal_senders=4" >/dev/null
}

node() {
    mkdir "$home/$1"
    [ "$(id -u)" = 0 ] && chown 65534:65534 "$home/$1"
}

end() {
    [ "${#pages[@]}" -gt 0 ] && kill "${pages[@]}" 2>/dev/null
    for name in one two; do
        [ -d "$home/$name/data" ] &&
            server pg_ctl stop --silent --mode immediate --pgdata "$home/$name/data" >/dev/null 2>&1
    done
    wait 2>/dev/null
    rm -rf "$home"
}
trap end EXIT
cd "$home" || exit 1

# sql NODE STATEMENT: as the owner.
sql() { psql -h "$home/$1" -U owner -d "${3:-issuer}" -qAtX -c "$2"; }

# at NUMBER COMMAND...: becomes tapcard at a till, with its reader and its login.
at() {
    export HOME=$home/till-$1 PGPASSFILE=$home/till-$1.pgpass TAPCARD_READER=sim
    exec "$tapcard" --ledger "postgresql:///issuer?host=$home/one,$home/two&user=till-$1" "${@:2}" \
        2> >(grep -v 'a simulated reader is being used with the real ledger' >&2)
}
till() { (at "$@"); }

# owner COMMAND...: tapcard as the owner of the ledger.
owner() {
    HOME=$home "$tapcard" --ledger "postgresql:///issuer?host=$home/one,$home/two&user=owner" "$@"
}

# step STATUS WORD COMMAND...: runs it, shows it, checks its exit status and one word of it.
step() {
    local wanted=$1 word=$2 output status
    shift 2
    output=$("$@" 2>&1)
    status=$?
    printf '  %s\n' "${*//$home/ISSUER}"
    printf '%s\n' "${output//$home/ISSUER}" | fold -s -w 88 | sed 's/^/      /'
    [ "$status" -eq "$wanted" ] || wrong "exit status $status, not $wanted"
    [[ "$output" == *"$word"* ]] || wrong "it does not say \"$word\""
}

chapter 'Two servers: the second has every commit before anybody is told of it.'
node one
server initdb --pgdata "$home/one/data" --username owner --auth trust --no-sync >/dev/null || exit 1
printf 'local all owner trust\nlocal replication all trust\nlocal all all scram-sha-256\n' \
    >"$home/one/data/pg_hba.conf"
start one || exit 1
sql one 'CREATE DATABASE issuer' postgres
node two
server pg_basebackup --host "$home/one" --username owner --pgdata "$home/two/data" \
    --checkpoint fast --write-recovery-conf --no-sync || exit 1
start two || exit 1
sql one "ALTER SYSTEM SET synchronous_standby_names = '*'"
sql one 'SELECT pg_reload_conf()' >/dev/null
until [ "$(sql one "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")" = 1 ]; do
    sleep 0.05
done
step 0 'Ledger created in the database' owner ledger init --currency EUR
step 0 'These replicas are in sync' owner ledger status

chapter 'Three tills, each with a login of its own. They share the keys of the issuer.'
for number in 1 2 3; do
    mkdir "$home/till-$number"
    step 0 ' registered; its password' owner station register "till-$number" "$home/till-$number.pgpass"
done
step 0 'demo card is ready' till 1 demo
till 1 --quiet keys export "$home/keys.json"
for number in 2 3; do
    till "$number" --quiet keys import "$home/keys.json"
    till "$number" --quiet sim put NTAG213
    till "$number" --quiet issue --name "Guest $number"
done
for number in 1 2 3; do step 0 '€90.00' till "$number" add 90; done

chapter 'Each till has its page. All of them look into the same books.'
for number in 1 2 3; do
    at "$number" serve >"$home/page-$number" 2>&1 &
    pages+=($!)
    until grep -q 'http://' "$home/page-$number"; do
        kill -0 "${pages[-1]}" 2>/dev/null || exit 1
        sleep 0.05
    done
    printf '  till %s: %s\n' "$number" "$(grep -o 'http://[^ ]*' "$home/page-$number" | head -1)"
done
for page in "${pages[@]}"; do kill "$page"; done
wait "${pages[@]}" 2>/dev/null
pages=()

chapter 'All of them sell, and the first server dies.'
sell() {
    local line
    for _ in $(seq 400); do
        line=$(till "$1" pay 0.10 --again 2>/dev/null) || break
        printf '%s\n' "$line" | grep -o 'operation .*' >>"$home/told-$1"
    done
}
sellers=()
for number in 1 2 3; do
    : >"$home/told-$number"
    sell "$number" &
    sellers+=($!)
done
until [ "$(cat "$home"/told-* | wc -l)" -ge 60 ]; do sleep 0.05; done
kill -9 "$(head -1 "$home/one/data/postmaster.pid")"
wait "${sellers[@]}"
told=$(cat "$home"/told-* | wc -l)
printf '  Tills said "paid" %s times before it was gone.\n' "$told"
step 9 'Only a read-only replica responds' till 1 pay 1

chapter 'The second server takes over. No till takes money before its owner has said that nothing is lost.'
server pg_ctl promote --silent --wait --pgdata "$home/two/data" || exit 1
# It would wait for a replica of its own, as it was told to.
sql two "ALTER SYSTEM SET synchronous_standby_names = ''"
sql two 'SELECT pg_reload_conf()' >/dev/null
step 9 'promoted or restored' till 2 pay 1
step 9 'ledger reopen --lossless' owner ledger status
step 0 'Ledger open on this server' owner ledger reopen --lossless
kept=0
for id in $(cat "$home"/told-* | cut -d' ' -f2); do
    state=$(sql two "SELECT state FROM operation WHERE id = '$id'")
    [ "$state" = committed ] && kept=$((kept + 1))
done
printf '  Of %s payments that tills called paid, the second server has %s.\n' "$told" "$kept"
[ "$kept" -eq "$told" ] || wrong "a payment is lost"
for number in 1 2 3; do step 0 'Paid' till "$number" pay 1 --again; done
step 0 'rules: all hold' till 3 audit

chapter 'One till is stolen.'
step 0 'can no longer take payments or top-ups' owner station revoke till-3
step 9 '' till 3 pay 1 --again
step 0 'Paid' till 2 pay 1 --again
step 0 'revoked' owner station list

chapter "Failures: $failures"
exit "$((failures > 0))"
