#!/bin/bash
# The story of a card, on the simulated reader: every cent is followed, and every step is checked.
# The exit status is 0 only if each came out as it should.
set -uo pipefail

given=${1:?which tapcard?}
tapcard=$(realpath "$given")
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
# Whatever is set outside does not change the story.
unset XDG_DATA_HOME XDG_CONFIG_HOME ${!TAPCARD_*}
export HOME=$home TAPCARD_READER=sim
cd "$home" || exit 1

failures=0
bold='' plain=''
[ -t 1 ] && bold=$'\e[1m' plain=$'\e[0m'

chapter() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

# step STATUS WORD COMMAND...: runs tapcard, shows it, checks its exit status and one word of it.
step() {
    local wanted=$1 word=$2 output status
    shift 2
    output=$("$tapcard" "$@" 2>&1)
    status=$?
    said=$output
    printf '  $ tapcard %s\n' "$*"
    case "$1 $output" in
        ' ' | *' {'* | history* | draws* | ticket*) printf '%s\n' "$output" | sed 's/^/      /' ;;
        *) printf '%s\n' "$output" | fold -s -w 88 | sed 's/^/      /' ;;
    esac
    if [ "$status" -ne "$wanted" ]; then
        printf '    WRONG: exit status %s, not %s\n' "$status" "$wanted"
        failures=$((failures + 1))
    elif [[ "$output" != *"$word"* ]]; then
        printf '    WRONG: it does not say "%s"\n' "$word"
        failures=$((failures + 1))
    elif [ "$status" -ne 0 ]; then
        printf '      (exit status %s, as it should be)\n' "$status"
    fi
}

chapter 'A blank sticker lies on the reader.'
step 4 'tag is blank' read
step 0 'Manufacturer'\''s signature: valid' tag info

chapter 'It becomes a card, and money goes onto it.'
step 0 '$0.00' demo
step 0 '$20.00 left' add 20
step 0 '"balance":"20.00"' read --json

chapter 'Something is paid. The same request sent twice is charged once.'
step 0 '$15.50 left' pay 4.50 --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60
step 0 'already done' pay 4.50 --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60
step 2 'another request' pay 9 --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60
step 4 '$15.50' pay 40
step 4 'repeat with --yes' pay 450
step 2 'enter 4.5' pay 4,5

chapter 'The card is pulled away while it is written: a page keeps a mixture of old and new bits.'
step 0 'Fault armed' sim tear 3 torn mix 7
step 6 'Tap the card again' pay 5
chapter 'Nobody was told "paid". The next tap resolves it.'
step 0 'is on the simulated reader' sim put
step 0 'the interrupted payment of $5.00 did not go through' read
step 0 '15.50' read --json

chapter 'Pulled a moment later, the new record is whole: now the payment counts.'
step 0 'Fault armed' sim tear 4 acknowledge-lost
step 6 'Tap the card again' pay 5
step 0 'is on the simulated reader' sim put
step 0 'the interrupted payment of $5.00 went through' read

chapter 'The process itself is killed between two pages. The next tap finishes what was begun.'
step 0 'Fault armed' sim tear 2 killed-after
step 137 '' add 3
step 0 '$13.50' read

chapter 'A refund happens once.'
step 0 '$18.00 left' refund 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60
step 0 'already done' refund 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60

chapter 'A shift begins with counted cash. Products have prices and deposits; a sale keeps its lines.'
step 0 '$50.00' shift open --float 50
step 0 'Cup' products add Cup --price 1
step 0 'Coffee' products add Coffee --price 3.50 --group Drinks --deposit Cup
step 0 '$9.00 left' sell 2xCoffee
step 0 'New balance' receipt "$(sed -n 's/.*operation \([0-9a-f-]*\).*/\1/p' <<<"$said")"
step 0 '$11.00 left' sell --returned 2xCup
step 4 'no product named' sell Tea
step 0 '$18.00 left' add 7 --tender terminal
step 0 'change' sell Coffee --tender cash --given 10
step 0 'Change' receipt "$(sed -n 's/.*Operation \([0-9a-f-]*\).*/\1/p' <<<"$said")"

chapter 'The scratch card: two seconds, then there is a code.'
step 0 'scratched, code' scratch
step 4 'already been scratched' scratch

chapter 'A sandbox stands in for the services on the web. The code is activated, once.'
"$tapcard" sandbox >"$home/sandbox.txt" 2>&1 </dev/null &
sandbox=$!
trap 'kill "$sandbox" 2>/dev/null; rm -rf "$home"' EXIT
for _ in {1..200}; do grep -qs 'Ctrl-C' "$home/sandbox.txt" && break; sleep 0.05; done
sed 's/^/      /' "$home/sandbox.txt"
while read -r word; do export "${word?}"; done < <(sed -n 's/^export //p' "$home/sandbox.txt")
export TAPCARD_MASTERMIND_PASSWORD=sandbox
control=${TAPCARD_ACTIVATION_URL%/activation}/sandbox
switch() {
    printf '  (the service from now on: %s)\n' "$1"
    ask PUT /failure "$1"
}
ask() {
    local host=${control#http://}
    exec 3<>"/dev/tcp/${host%%[:/]*}/$(sed 's/.*:\([0-9]*\).*/\1/' <<<"$control")"
    printf '%s /sandbox%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %s\r\n\r\n%s' \
        "$1" "$2" "${#3}" "$3" >&3
    cat <&3 >/dev/null
    exec 3>&-
}
switch activation:cut-off
step 8 'activating' activate
switch none
step 0 'activated' activate
step 4 'already been activated' activate
step 0 '"state":"activated"' read --json

chapter 'A lottery ticket is paid with the card, drawn, and checked with a tap.'
step 0 'draw-' draws
step 0 '$16.00 left' ticket buy
step 0 'ticket-' ticket check
step 4 'won' ticket claim
printf '  (the lottery draws)\n'
ask POST /draw ''
step 0 'ticket-' tickets
export TAPCARD_PRIZES='6=2 5=2 4=2 3=2 2=2 1=2 0=2'
printf '  $ export TAPCARD_PRIZES="%s"\n' "$TAPCARD_PRIZES"
step 0 '$18.00' ticket claim
step 0 'claimed' ticket check

chapter 'A short game of Mastermind: two slots, six colors.'
step 0 'ann' mastermind login ann
step 0 'slots' mastermind start --slots 2
# score GUESS SECRET: the black and white pegs for two slots.
score() {
    local black=0 white=0
    [ "${1:0:1}" = "${2:0:1}" ] && black=$((black + 1))
    [ "${1:1:1}" = "${2:1:1}" ] && black=$((black + 1))
    if [ "$black" = 0 ]; then
        [ "${1:0:1}" = "${2:1:1}" ] && white=$((white + 1))
        [ "${1:1:1}" = "${2:0:1}" ] && white=$((white + 1))
    fi
    echo "$black:$white"
}
answers=()
for candidate in {1..6}{1..6}; do
    # Only what all answers so far allow is worth a guess.
    for answer in "${answers[@]}"; do
        [ "$(score "${answer%%=*}" "$candidate")" = "${answer##*=}" ] || continue 2
    done
    step 0 '"black"' mastermind guess "$candidate" --json
    pegs=$(sed -n 's/.*"black":\([0-9]\),"white":\([0-9]\).*/\1:\2/p' <<<"$said")
    answers+=("$candidate=$pegs")
    [ "$pegs" = 2:0 ] && break
done
step 0 '2 black' mastermind show
step 0 'ann' mastermind ranking
kill "$sandbox"
wait "$sandbox" 2>/dev/null
trap 'rm -rf "$home"' EXIT
chapter 'The services are gone. What they said last is still known, with its age.'
step 0 'draw-' draws

chapter 'Someone keeps an image of the card, spends, and puts the image back.'
step 0 'Dumped' tag dump old-state.txt
step 0 '$0.00 left' pay 18
step 0 'Restored' tag restore old-state.txt --overwrite
step 7 'older than the ledger' read
step 7 'older than the ledger' pay 1
step 0 '$0.00' repair --card 04AC6B72BA6C80

chapter 'Someone copies the card onto another sticker.'
step 0 'Dumped' tag dump card.txt
step 0 'NTAG213' sim put NTAG213
step 0 'Restored' tag restore card.txt
step 7 'copied from card 04AC6B72BA6C80' read

chapter 'A password keeps others from writing to a card. Torn while it is put on, the next tap finishes it.'
step 0 'is on the simulated reader' sim put 04AC6B72BA6C80
step 0 'Fault armed' sim tear 7 torn zero
step 6 'may or may not require' tag protect
step 0 'is on the simulated reader' sim put
step 0 'write password from key 1' read
step 0 'to write from page 02h' tag info
step 0 '$2.00 left' add 2

chapter 'A chip that proves itself at every tap, and so cannot be copied: an NTAG 424.'
step 0 'is on the simulated reader' sim put NTAG424
step 0 'still the factory keys' tag info
step 0 '$12.00' issue --name Zoë --balance 12
step 0 'versions 2, 2, 2, 2, 2' tag info
step 0 'Fault armed' sim tear 1 acknowledge-lost
step 6 'Tap the card again' pay 3
step 0 'is on the simulated reader' sim put
step 0 'the interrupted payment of $3.00 went through' read
step 0 'sealed with key 2' keys rotate
step 0 '$8.00 left' pay 1
step 0 'versions 3, 3, 3, 3, 3' tag info
step 0 'is on the simulated reader' sim put 04AC6B72BA6C80

chapter 'A real driver now: libnfc, on a PN532 that a second tapcard plays on a serial device.'
"$tapcard" emulate --tag NTAG215 --link "$home/reader" >"$home/played.txt" 2>&1 </dev/null &
played=$!
trap 'kill "$played" 2>/dev/null; rm -rf "$home"' EXIT
for _ in {1..200}; do [ -e "$home/reader" ] && break; sleep 0.05; done
export TAPCARD_READER=pn532_uart:$home/reader
tell() {
    printf '  $ tapcard emulate --link reader --tell "%s"\n' "$*"
    "$tapcard" emulate --link "$home/reader" --tell "$*" >/dev/null || failures=$((failures + 1))
}
step 0 'NTAG215' doctor
step 9 'tapcard init' issue --name Zoë --balance 50
step 0 'set up' init --currency USD
step 0 '$50.00' issue --name Zoë --balance 50
tell fault data 4 unplug
step 6 'Tap the card again' pay 8
chapter 'The cable was pulled in the middle of that. Plugged in again, the next tap resolves it.'
tell plug
step 0 'the interrupted payment of $8.00 did not go through' read
step 0 '$42.00 left' pay 8
kill "$played"
wait "$played" 2>/dev/null
export TAPCARD_READER=sim

chapter 'The till page: the same reader in a browser, and for programs that ask over HTTP.'
serve() {
    "$tapcard" serve >"$home/page.txt" 2>"$home/page.log" </dev/null &
    page=$!
    trap 'kill "$page" 2>/dev/null; rm -rf "$home"' EXIT
    for _ in {1..200}; do grep -q http "$home/page.txt" && break; sleep 0.05; done
    address=$(grep -o 'http://[^ ]*' "$home/page.txt")
}
serve
printf '  $ tapcard serve\n'
sed 's/^/      /' "$home/page.txt"
# ask WORD METHOD PATH [BODY]: a request of somebody who has the page's token.
ask() {
    local word=$1 method=$2 path=$3 body=${4:-} host=${address#http://}
    host=${host%/}
    printf '  > %s %s %s\n' "$method" "$path" "$body"
    for _ in {1..100}; do
        request
        # After an operation the card is read again.
        [ "$method" = GET ] && [[ "$said" != *"$word"* ]] || break
        sleep 0.05
    done
    [ "$path" = /api/v1/session ] ||
        sed 's/,"/, "/g' <<<"$said" | fold -s -w 88 | sed 's/^/      /'
    if [[ "$said" != *"$word"* ]]; then
        printf '    WRONG: it does not say "%s"\n' "$word"
        failures=$((failures + 1))
    fi
}
request() {
    exec 3<>"/dev/tcp/${host%:*}/${host#*:}"
    printf '%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n' "$method" "$path" "$host" >&3
    [ -z "${token:-}" ] || printf 'Authorization: Bearer %s\r\n' "$token" >&3
    printf 'Content-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' "${#body}" "$body" >&3
    said=$(sed '1,/^\r*$/d' <&3)
    exec 3>&-
}
ask '"reader":{"state":"ready"' GET /api/v1/health
ask '"balance":"2.00"' GET /api/v1/card
# The server has not seen this card come, and would ask before it adds money.
step 0 '' sim take
ask '"read":null' GET /api/v1/card
step 0 'is on the simulated reader' sim put
ask '"balance":"2.00"' GET /api/v1/card
ask 'token-missing' POST /api/v1/add '{"amount":"1.00"}'
ask '"token"' POST /api/v1/session
token=$(grep -o '"token":"[0-9a-f]*' <<<"$said" | cut -d'"' -f4)
ask '"balance":"3.00"' POST /api/v1/add '{"amount":"1.00"}'
ask '"balance":"3.00"' GET /api/v1/card
ask 'same-card' POST /api/v1/add '{"amount":"1.00"}'
kill "$page"
wait "$page" 2>/dev/null

chapter 'Any tag, any program: no keys and no ledger are needed for this.'
step 4 'has a balance' tag write --url https://example.com
step 0 'is on the simulated reader' sim put NTAG213
"$tapcard" watch --format 'seen: {uid} {url}' >"$home/seen.txt" 2>&1 </dev/null &
watch=$!
trap 'kill "$watch" 2>/dev/null; rm -rf "$home"' EXIT
# heard WORDS: waits until the watch has printed a line that ends with these words.
heard() {
    for _ in {1..200}; do grep -q "$1\$" "$home/seen.txt" && break; sleep 0.05; done
    if ! grep "$1\$" "$home/seen.txt" | tail -n 1 | sed 's/^/      /' | grep .; then
        printf '    WRONG: the watch does not say "%s"\n' "$1"
        failures=$((failures + 1))
    fi
}
printf '  $ tapcard watch --format "seen: {uid} {url}"\n'
heard ' '
kill "$watch"
wait "$watch" 2>/dev/null
step 0 'Written' tag write --url 'https://example.com/spool/{uid}' --text 'PLA black'
step 0 'PLA black' tag read
step 4 'overwrite' tag write --text 'PLA white'
"$tapcard" watch --format 'seen: {uid} {url}' >"$home/seen.txt" 2>&1 </dev/null &
watch=$!
printf '  $ tapcard watch --format "seen: {uid} {url}"\n'
heard 'https://example.com/spool/.*'
kill "$watch"
wait "$watch" 2>/dev/null
step 0 'is on the simulated reader' sim put 04AC6B72BA6C80

chapter 'Every cent is accounted for.'
step 0 'refund' history
step 0 'expected' shift close --counted 69.50
step 0 'Coffee' report products
step 0 'Outstanding' report outstanding
step 0 'opened' report shifts
step 0 'rules: all hold' audit
step 0 '"open":0,"violations":[]' audit --json

if [ "$failures" -ne 0 ]; then
    printf '\n%s of the steps came out wrong.\n' "$failures"
    exit 1
fi
printf '\nAll steps came out right. Try it yourself:\n  %s --reader sim demo\n' "$given"
printf 'and in a browser:\n  %s --reader sim serve\n' "$given"
# For whoever looks on: the page of this story, with its cards, until they have seen enough.
if [ -t 0 ] && [ -t 1 ]; then
    serve
    printf '\nThe till page of this story is at %s%s%s; Enter ends it. ' "$bold" "$address" "$plain"
    read -r
    kill "$page"
    wait "$page" 2>/dev/null
fi
