#!/bin/bash
# Two servers and four tills on one ledger: a primary and a synchronous replica of PostgreSQL on this
# machine, each till with a simulated reader that its agent connects. While they sell, a server, a
# till's agent, and the primary are killed. The exit status is 0 only if everything came out as it
# should.
#
#     servers.sh TAPCARD                   tells the story of docs/SERVERS.md
#     servers.sh TAPCARD KILLS [SEED]      kills that often instead, at random
set -uo pipefail

given=${1:?which tapcard?}
kills=${2:-}
seed=${3:-$RANDOM}
tapcard=$(realpath "$given")
programs=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)
home=$(mktemp -d)
chmod 755 "$home"
unset XDG_DATA_HOME XDG_CONFIG_HOME ${!PG*} ${!TAPCARD_*}
bold='' plain=''
[ -t 1 ] && bold=$'\e[1m' plain=$'\e[0m'
declare -A running=()
sellers=()
failures=0
primary=one
replica=two

chapter() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
wrong() {
    printf '    WRONG: %s\n' "$*"
    failures=$((failures + 1))
}
# trouble WHAT: gives up, because a database does not do what it should.
trouble() {
    wrong "$*"
    tail -n 20 "$home"/*/log
    exit 1
}

# PostgreSQL refuses to run as root.
database() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$programs/$1" "${@:2}"
    else
        "$programs/$1" "${@:2}"
    fi
}

# start NODE: starts a node, which listens on a socket in its folder alone.
start() {
    database pg_ctl start --silent --wait --pgdata "$home/$1/data" --log "$home/$1/log" --options \
        "-k $home/$1 -c listen_addresses='' -c shared_buffers=64MB -c max_wal_senders=4" &>/dev/null
}

node() {
    mkdir "$home/$1"
    [ "$(id -u)" = 0 ] && chown 65534:65534 "$home/$1"
}

# replicate: makes the other node a replica, for which every commit on the primary waits.
replicate() {
    sql "$primary" "ALTER SYSTEM SET synchronous_standby_names = '*'" postgres
    sql "$primary" 'SELECT pg_reload_conf()' postgres >/dev/null
    database pg_basebackup --host "$home/$primary" --username owner --pgdata "$home/$replica/data" \
        --checkpoint fast --write-recovery-conf --no-sync || trouble 'no copy of the database'
    wait_until "database $replica starts" start "$replica"
    wait_until 'the replica is in step' is_synchronous
}
is_synchronous() {
    [ "$(sql "$primary" "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")" = 1 ]
}

# promote: makes the replica the primary, and the other node its replica.
promote() {
    database pg_ctl promote --silent --wait --pgdata "$home/$replica/data" || trouble 'no promotion'
    local former=$primary
    primary=$replica replica=$former
    # Processes of a killed one may still write.
    wait_until "the files of $replica are gone" rm -rf "$home/$replica/data"
    replicate
}

end() {
    touch "$home/give-up"
    kill "${running[@]}" "${sellers[@]}" 2>/dev/null
    for name in one two; do
        [ -d "$home/$name/data" ] &&
            database pg_ctl stop --silent --mode immediate --pgdata "$home/$name/data" >/dev/null 2>&1
    done
    wait 2>/dev/null
    rm -rf "$home"
}
trap end EXIT
cd "$home" || exit 1

# sql NODE STATEMENT: as the owner.
sql() { psql -h "$home/$1" -U owner -d "${3:-issuer}" -qAtX -c "$2"; }

# on SERVER COMMAND...: becomes tapcard on a server, with its keys and its login.
on() {
    export HOME=$home/$1 PGPASSFILE=$home/$1.pgpass TAPCARD_READER=sim
    exec "$tapcard" --ledger "postgresql:///issuer?host=$home/one,$home/two&user=$1" "${@:2}" \
        2> >(grep -v 'a simulated reader is being used with the real ledger' >&2)
}
server() { (on "$@"); }

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

# until WHAT COMMAND...: waits until the command succeeds.
wait_until() {
    local tries
    for tries in $(seq 600); do
        "${@:2}" && return
        sleep 0.1
    done
    wrong "waited in vain until $1"
}

# serve SERVER: starts the server of this name, which keeps its port.
serve() {
    local port=${ports[$1]:-}
    if [ -z "$port" ]; then
        # A free port, which the other server and the agents must know.
        on "$1" serve --no-reader >"$home/$1.page" 2>&1 &
        local first=$!
        wait_until "$1 has a port" grep -q 'Ctrl-C' "$home/$1.page"
        port=$(grep -o '127.0.0.1:[0-9]*' "$home/$1.page" | head -1 | cut -d: -f2)
        kill "$first"
        wait "$first" 2>/dev/null
        ports[$1]=$port
    fi
    : >"$home/$1.page"
    on "$1" serve --no-reader --port "$port" --peer-address "http://127.0.0.1:$port" \
        >"$home/$1.page" 2>"$home/$1.log" &
    running[$1]=$!
    wait_until "$1 serves" grep -q 'Ctrl-C' "$home/$1.page"
}
declare -A ports=()

# agent TILL [OPTIONS]: connects the reader of this till to a server.
agent() {
    local first=$((${1#till-} % 2 + 1))
    local second=$((3 - first))
    HOME=$home/$1 TAPCARD_READER=sim "$tapcard" reader --server \
        "http://127.0.0.1:${ports[server-$first]},http://127.0.0.1:${ports[server-$second]}" \
        "${@:2}" >/dev/null 2>>"$home/$1.log" &
    running[$1]=$!
}

# crash NAME: kills a server, an agent, or the primary at once.
crash() {
    [ "$1" = primary ] && running[primary]=$(head -1 "$home/$primary/data/postmaster.pid")
    kill -9 "${running[$1]}"
    wait "${running[$1]}" 2>/dev/null
}

# ask SERVER PATH [OPTIONS]: the answer of this server, with its status at the end; empty if lost.
ask() {
    curl --silent --max-time 40 --write-out ' %{http_code}' \
        --header 'Content-Type: application/json' "${@:3}" "http://127.0.0.1:${ports[$1]}$2"
}

# log_in SERVER TILL: a session of the cashier at this till.
log_in() {
    ask "$1" "/tills/$((100 + ${2#till-}))/api/v1/session" --data \
        '{"cashier":"Ann","password":"sesame-open"}' | grep -o '"token":"[0-9a-f]*' | cut -d'"' -f4
}

chapter 'Two databases: the second has every commit before anybody is told of it.'
node one
database initdb --pgdata "$home/one/data" --username owner --auth trust --no-sync >/dev/null || trouble 'no database'
printf 'local all owner trust\nlocal replication all trust\nlocal all all scram-sha-256\n' \
    >"$home/one/data/pg_hba.conf"
start one || trouble 'one does not start'
sql one 'CREATE DATABASE issuer' postgres
node two
replicate
step 0 'Ledger created in the database' owner ledger init --currency EUR

chapter 'Two servers, each with a login of its own. They share the keys and the cashiers.'
for name in server-1 server-2; do
    mkdir "$home/$name"
    step 0 '' owner servers add "$name" "$home/$name.pgpass"
done
server server-1 --quiet init
server server-1 --quiet keys export "$home/keys.json"
server server-2 --quiet keys import "$home/keys.json"
export TAPCARD_CASHIER_PASSWORD=sesame-open
server server-1 --quiet cashiers add Ann
cp "$(find "$home/server-1" -name cashiers.json)" \
    "$(dirname "$(find "$home/server-2" -name keys.json)")/"
unset TAPCARD_CASHIER_PASSWORD
for name in server-1 server-2; do serve "$name"; done

chapter 'Four tills, whose machines have a reader and a token, and nothing else.'
for number in 1 2 3 4; do
    mkdir "$home/till-$number"
    code=$(server server-1 tills add "Bar $number" --trusted | grep -oE '([0-9A-Z]{4}-){2}[0-9A-Z]{4}' | head -1)
    HOME=$home/till-$number TAPCARD_READER=sim "$tapcard" --quiet sim put NTAG213
    agent "till-$number" --code "$code"
    wait_until "till $number is connected" grep -q 'Connected to' "$home/till-$number.log"
    # Any server knows every till after a second.
    for name in server-1 server-2; do
        knows() { [ -n "$(log_in "$name" "till-$number")" ]; }
        wait_until "$name knows till $number" knows
    done
done
step 0 'Bar 4' server server-2 tills list

chapter 'Each till issues a card through the server that does not have its reader.'
for number in 1 2 3 4; do
    name=server-$((2 - number % 2))
    token=$(log_in "$name" "till-$number")
    answer=$(ask "$name" "/tills/$((100 + number))/api/v1/issue" --data '{"balance":"90"}' \
        --header "Authorization: Bearer $token")
    [[ "$answer" == *'"balance":"90.00"'* ]] || wrong "till $number issued no card: $answer"
    printf '  till %s, through %s: 90.00 EUR\n' "$number" "$name"
    echo "$token" >"$home/token-$number"
done

chapter 'All of them sell. Servers, tills, and the primary are killed while they do.'
# sell TILL: pays 0.01 again and again, at either server. A lost answer is asked for again, with the
# same ID, until there is one. Only what was answered with "done" counts.
sell() {
    local number=${1#till-} turn=0 id answer
    local token
    token=$(cat "$home/token-$number")
    while [ ! -e "$home/stop" ]; do
        id=$(cat /proc/sys/kernel/random/uuid)
        while true; do
            turn=$((turn + 1))
            answer=$(ask "server-$((turn % 2 + 1))" "/tills/$((100 + number))/api/v1/pay" --data \
                "{\"amount\":\"0.01\",\"operation\":\"$id\",\"again\":true}" \
                --header "Authorization: Bearer $token")
            case $answer in
            *'"result":"done"'*)
                echo "$id" >>"$home/told-$number"
                break
                ;;
            # Refused for good: this ID moved no money.
            *'"error":"operation-voided"'*) break ;;
            *'"error":"login-needed"'* | *'"error":"stale-token"'*)
                token=$(log_in server-1 "$1")
                [ -n "$token" ] || token=$(log_in server-2 "$1")
                ;;
            esac
            [ -e "$home/give-up" ] && return
            echo "$id" >>"$home/asked-again"
            sleep 0.05
        done
    done
}
told() { cat "$home"/told-? | wc -l; }
sold_since() { [ "$(told)" -ge "$1" ]; }
for number in 1 2 3 4; do
    : >"$home/told-$number"
    sell "till-$number" &
    sellers+=($!)
done

kill_each_once() {
    wait_until '40 payments are told' sold_since 40
    crash server-1
    printf '  server-1 was killed after %s payments.\n' "$(told)"
    wait_until 'the other server sells for all' sold_since $(($(told) + 40))
    serve server-1
    printf '  server-1 is back after %s payments.\n' "$(told)"
    crash till-2
    agent till-2
    before=$(wc -l <"$home/told-2")
    sells_again() { [ "$(wc -l <"$home/told-2")" -gt "$((before + 3))" ]; }
    wait_until 'till 2 sells again' sells_again
    printf '  The agent of till 2 was killed and started again.\n'
    crash primary
    at_death=$(told)
    printf '  The primary was killed after %s payments.\n' "$at_death"
    promote
    step 9 'ledger reopen --lossless' owner ledger status
    step 0 'Ledger open on this server' owner ledger reopen --lossless
    wait_until 'they sell on the second database' sold_since $((at_death + 40))
}

# restore NAME: starts it again. Half of the time, the replica becomes the primary instead.
restore() {
    case $1 in
    server-*) serve "$1" ;;
    till-*) agent "$1" ;;
    primary)
        if ((RANDOM % 2)); then
            wait_until "database $primary starts again" start "$primary"
        else
            promote
            owner ledger reopen --lossless >/dev/null || wrong 'the ledger is not open'
            promotions=$((promotions + 1))
        fi
        ;;
    esac
}

# kill_at_random: up to three die, a moment apart, and are started again.
kill_at_random() {
    local mortal=(till-1 till-2 till-3 till-4 server-1 server-2 primary primary)
    local left=$kills promotions=0 dead name
    local -A deaths=()
    RANDOM=$seed
    while [ "$left" -gt 0 ]; do
        sleep "$((RANDOM % 3)).$((RANDOM % 10))"
        dead=()
        for ((more = RANDOM % 3 + 1; more > 0 && left > 0; more--)); do
            name=${mortal[RANDOM % ${#mortal[@]}]}
            [[ " ${dead[*]} " == *" $name "* ]] && continue
            crash "$name"
            dead+=("$name")
            deaths[$name]=$((${deaths[$name]:-0} + 1))
            left=$((left - 1))
            sleep "0.$((RANDOM % 10))"
        done
        for name in "${dead[@]}"; do restore "$name"; done
    done
    printf '  %s kills (seed %s):' "$kills" "$seed"
    for name in "${!deaths[@]}"; do printf ' %s %s,' "$name" "${deaths[$name]}"; done
    printf ' with %s promotions\n' "$promotions"
}
if [ -n "$kills" ]; then kill_at_random; else kill_each_once; fi
touch "$home/stop"
have_stopped() { ! kill -0 "${sellers[@]}" 2>/dev/null; }
wait_until 'every till has its last answer' have_stopped
touch "$home/give-up"
wait "${sellers[@]}"

chapter 'What was told is in the ledger, once.'
sort "$home"/told-? >"$home/told"
sql "$primary" "SELECT id FROM operation WHERE state = 'committed' AND kind = 'pay'" | sort >"$home/kept"
printf '  Tills called %s payments paid; the ledger has %s.\n' "$(told)" "$(wc -l <"$home/kept")"
printf '  %s were asked for again, because an answer was lost or refused.\n' \
    "$(sort -u "$home/asked-again" | wc -l)"
[ -z "$(comm -23 "$home/told" "$home/kept")" ] || wrong 'a payment is lost'
[ -z "$(comm -13 "$home/told" "$home/kept")" ] || wrong 'the ledger has a payment that nobody was told of'
for number in 1 2 3 4; do
    count=$(wc -l <"$home/told-$number")
    token=$(log_in server-2 "till-$number")
    balance=$(sql "$primary" "SELECT to_char(90 - 0.01 * $count, 'FM990.00')")
    says() {
        ask server-2 "/tills/$((100 + number))/api/v1/card" --header "Authorization: Bearer $token" |
            grep -q "\"balance\":\"$balance\""
    }
    wait_until "the card of till $number says $balance" says
    printf '  till %s: %s payments, %s EUR left on the card\n' "$number" "$count" "$balance"
done
# sums REPORT: how many payments it has, and their amount in cents.
sums() {
    server server-2 report "$1" --csv |
        awk -F, 'NR > 1 { count += $(NF - 17); sum += $(NF - 16) * 100 } END { printf "%d %.0f", count, sum }'
}
for report in days hours cashiers tills; do
    sums=$(sums "$report")
    printf '  report %s: %s payments, %s cents\n' "$report" $sums
    [ "$sums" = "$(told) $(told)" ] || wrong 'the report has other payments'
done
step 0 'Difference' server server-2 report outstanding
step 0 'rules: all hold' server server-2 audit

if [ -z "$kills" ]; then
    chapter 'One till is stolen. Its machine is cut off within about a second.'
    step 0 'Bar 3' server server-1 tills remove 'Bar 3'
    stopped() { ! kill -0 "${running[till-3]}" 2>/dev/null; }
    wait_until 'the agent of till 3 has ended' stopped
    grep -q 'does not accept this till' "$home/till-3.log" || wrong 'its agent was not told why'
    step 0 'Bar 4' server server-1 tills list

    chapter 'One server is stolen. Its login ends, and the other one goes on.'
    kill "${running[server-1]}"
    step 0 '' owner servers remove server-1
    step 9 '' server server-1 history
    step 0 '' server server-2 takings
fi

chapter "Failures: $failures"
exit "$((failures > 0))"
