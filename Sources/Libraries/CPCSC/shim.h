#ifndef TAPCARD_CPCSC_H
#define TAPCARD_CPCSC_H

#include <PCSC/wintypes.h>
#include <stdint.h>
#include <string.h>

// winscard.h expects the other headers in its folder to be in the search path. Only flags from
// pkg-config could add that folder, but SwiftPM complains about the other flags that come with
// them. The declarations that tapcard uses are therefore repeated here. The ABI has not changed in
// twenty years.

#define TAPCARD_SCARD_LONGEST_ATR 33

typedef LONG SCARDCONTEXT;
typedef LONG SCARDHANDLE;

typedef struct {
    unsigned long dwProtocol;
    unsigned long cbPciLength;
} SCARD_IO_REQUEST;

typedef struct {
    const char *szReader;
    void *pvUserData;
    DWORD dwCurrentState;
    DWORD dwEventState;
    DWORD cbAtr;
    unsigned char rgbAtr[TAPCARD_SCARD_LONGEST_ATR];
} SCARD_READERSTATE;

extern const SCARD_IO_REQUEST g_rgSCardT0Pci, g_rgSCardT1Pci;

LONG SCardEstablishContext(DWORD scope, const void *, const void *, SCARDCONTEXT *);
LONG SCardReleaseContext(SCARDCONTEXT);
LONG SCardListReaders(SCARDCONTEXT, const char *groups, char *names, DWORD *length);
LONG SCardGetStatusChange(SCARDCONTEXT, DWORD timeout, SCARD_READERSTATE *, DWORD count);
LONG SCardCancel(SCARDCONTEXT);
LONG SCardConnect(
    SCARDCONTEXT, const char *name, DWORD share, DWORD protocols, SCARDHANDLE *, DWORD *protocol);
LONG SCardReconnect(
    SCARDHANDLE, DWORD share, DWORD protocols, DWORD initialization, DWORD *protocol);
LONG SCardDisconnect(SCARDHANDLE, DWORD disposition);
LONG SCardTransmit(
    SCARDHANDLE, const SCARD_IO_REQUEST *, const unsigned char *command, DWORD commandLength,
    SCARD_IO_REQUEST *, unsigned char *response, DWORD *responseLength);

LONG SCardControl(
    SCARDHANDLE, DWORD code, const void *command, DWORD commandLength, void *response,
    DWORD responseSize, DWORD *responseLength);

enum {
    TAPCARD_SCARD_SCOPE_SYSTEM = 2,
    TAPCARD_SCARD_SHARE_EXCLUSIVE = 1,
    TAPCARD_SCARD_SHARE_DIRECT = 3,
    TAPCARD_SCARD_PROTOCOL_T0 = 1,
    TAPCARD_SCARD_PROTOCOL_T1 = 2,
    TAPCARD_SCARD_RESET_CARD = 1,
    TAPCARD_SCARD_UNPOWER_CARD = 2,
    TAPCARD_SCARD_STATE_UNAWARE = 0x0000,
    TAPCARD_SCARD_STATE_IGNORE = 0x0001,
    TAPCARD_SCARD_STATE_UNKNOWN = 0x0004,
    TAPCARD_SCARD_STATE_UNAVAILABLE = 0x0008,
    TAPCARD_SCARD_STATE_PRESENT = 0x0020,
    // The control code for escape commands: SCARD_CTL_CODE(1) in libccid and acsccid.
    TAPCARD_SCARD_ESCAPE = 0x42000001,
};

// LONG and DWORD have 64 bits on this platform, and Swift cannot import the library's constants,
// because they contain casts. These functions use 32 bits for statuses and lengths, as all other
// platforms do.

static inline uint32_t tapcard_scard_establish(SCARDCONTEXT *context) {
    return (uint32_t)SCardEstablishContext(TAPCARD_SCARD_SCOPE_SYSTEM, NULL, NULL, context);
}

static inline uint32_t tapcard_scard_release(SCARDCONTEXT context) {
    return (uint32_t)SCardReleaseContext(context);
}

/// Lists the names of the readers. Each name ends with a zero byte, and another zero byte ends the
/// list.
static inline uint32_t tapcard_scard_list(SCARDCONTEXT context, char *names, uint32_t *length) {
    DWORD size = *length;
    LONG status = SCardListReaders(context, NULL, names, &size);
    *length = (uint32_t)size;
    return (uint32_t)status;
}

/// Waits until the reader's state differs from `state`, and then stores the new state there. `atr`
/// must have room for TAPCARD_SCARD_LONGEST_ATR bytes.
static inline uint32_t tapcard_scard_wait(
    SCARDCONTEXT context, const char *name, uint32_t milliseconds, uint32_t *state,
    unsigned char *atr, uint32_t *atrLength) {
    SCARD_READERSTATE reader;
    memset(&reader, 0, sizeof reader);
    reader.szReader = name;
    reader.dwCurrentState = *state;
    LONG status = SCardGetStatusChange(context, milliseconds, &reader, 1);
    *state = (uint32_t)reader.dwEventState;
    *atrLength = reader.cbAtr <= TAPCARD_SCARD_LONGEST_ATR ? (uint32_t)reader.cbAtr : 0;
    memcpy(atr, reader.rgbAtr, *atrLength);
    return (uint32_t)status;
}

static inline uint32_t tapcard_scard_cancel(SCARDCONTEXT context) {
    return (uint32_t)SCardCancel(context);
}

/// Connects to the card exclusively, with T=0 or T=1.
static inline uint32_t tapcard_scard_connect(
    SCARDCONTEXT context, const char *name, SCARDHANDLE *card, uint32_t *protocol) {
    DWORD active = 0;
    LONG status = SCardConnect(
        context, name, TAPCARD_SCARD_SHARE_EXCLUSIVE,
        TAPCARD_SCARD_PROTOCOL_T0 | TAPCARD_SCARD_PROTOCOL_T1, card, &active);
    *protocol = (uint32_t)active;
    return (uint32_t)status;
}

/// Connects to the reader itself, whether or not there is a card on it. Call `tapcard_scard_revive`
/// next.
static inline uint32_t tapcard_scard_connect_directly(
    SCARDCONTEXT context, const char *name, SCARDHANDLE *card) {
    DWORD active = 0;
    return (uint32_t)SCardConnect(context, name, TAPCARD_SCARD_SHARE_DIRECT, 0, card, &active);
}

/// Cuts the card's power and restores it.
static inline uint32_t tapcard_scard_revive(SCARDHANDLE card, uint32_t *protocol) {
    DWORD active = 0;
    LONG status = SCardReconnect(
        card, TAPCARD_SCARD_SHARE_EXCLUSIVE, TAPCARD_SCARD_PROTOCOL_T0 | TAPCARD_SCARD_PROTOCOL_T1,
        TAPCARD_SCARD_UNPOWER_CARD, &active);
    *protocol = (uint32_t)active;
    return (uint32_t)status;
}

/// Resets the card without cutting its power, if the reader supports that.
static inline uint32_t tapcard_scard_reset(SCARDHANDLE card, uint32_t *protocol) {
    DWORD active = 0;
    LONG status = SCardReconnect(
        card, TAPCARD_SCARD_SHARE_EXCLUSIVE, TAPCARD_SCARD_PROTOCOL_T0 | TAPCARD_SCARD_PROTOCOL_T1,
        TAPCARD_SCARD_RESET_CARD, &active);
    *protocol = (uint32_t)active;
    return (uint32_t)status;
}

static inline uint32_t tapcard_scard_transmit(
    SCARDHANDLE card, uint32_t protocol, const unsigned char *command, uint32_t commandLength,
    unsigned char *response, uint32_t *responseLength) {
    DWORD length = *responseLength;
    LONG status = SCardTransmit(
        card, protocol == TAPCARD_SCARD_PROTOCOL_T0 ? &g_rgSCardT0Pci : &g_rgSCardT1Pci, command,
        commandLength, NULL, response, &length);
    *responseLength = (uint32_t)length;
    return (uint32_t)status;
}

/// Sends an escape command to the reader and ignores the response data.
static inline uint32_t tapcard_scard_escape(
    SCARDHANDLE card, const unsigned char *command, uint32_t commandLength) {
    unsigned char response[256];
    DWORD length = 0;
    return (uint32_t)SCardControl(
        card, TAPCARD_SCARD_ESCAPE, command, commandLength, response, sizeof response, &length);
}

/// Ends the connection and leaves the card as it is.
static inline uint32_t tapcard_scard_leave(SCARDHANDLE card) {
    return (uint32_t)SCardDisconnect(card, 0);
}

/// Ends the connection and cuts the card's power.
static inline uint32_t tapcard_scard_power_down(SCARDHANDLE card) {
    return (uint32_t)SCardDisconnect(card, TAPCARD_SCARD_UNPOWER_CARD);
}

static inline uint32_t tapcard_scard_longest_atr(void) { return TAPCARD_SCARD_LONGEST_ATR; }

static inline uint32_t tapcard_scard_state_unaware(void) { return TAPCARD_SCARD_STATE_UNAWARE; }
static inline uint32_t tapcard_scard_state_unknown(void) {
    return TAPCARD_SCARD_STATE_UNKNOWN | TAPCARD_SCARD_STATE_UNAVAILABLE
        | TAPCARD_SCARD_STATE_IGNORE;
}
static inline uint32_t tapcard_scard_state_present(void) { return TAPCARD_SCARD_STATE_PRESENT; }

#endif
