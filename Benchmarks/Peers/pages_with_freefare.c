// One task on the pages of a tag, with libfreefare:
//
//     pages_with_freefare read FIRST COUNT    prints pages in hexadecimal digits
//     pages_with_freefare write FIRST HEX     writes pages
//     pages_with_freefare verify FIRST HEX    writes pages, reads them back and compares
//
// The reader is the one that libnfc takes: LIBNFC_DEFAULT_DEVICE.

#include <freefare.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { pageSize = 4, mostPages = 16 };

static int fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    return EXIT_FAILURE;
}

static int readPages(MifareTag tag, int first, int count, unsigned char *bytes) {
    for (int page = 0; page < count; page++) {
        if (mifare_ultralight_read(tag, first + page, (MifareUltralightPage *)bytes + page))
            return -1;
    }
    return 0;
}

static int writePages(MifareTag tag, int first, int count, unsigned char *bytes) {
    for (int page = 0; page < count; page++) {
        if (mifare_ultralight_write(tag, first + page, bytes + page * pageSize)) return -1;
    }
    return 0;
}

static int perform(MifareTag tag, const char *task, int first, const char *argument) {
    unsigned char bytes[mostPages * pageSize], readBack[mostPages * pageSize];
    int count;
    if (!strcmp(task, "read")) {
        count = atoi(argument);
        if (count < 1 || count > mostPages) return fail("this many pages cannot be read");
        if (readPages(tag, first, count, bytes)) return fail("a page was not read");
        for (int place = 0; place < count * pageSize; place++) printf("%02X", bytes[place]);
        printf("\n");
        return EXIT_SUCCESS;
    }
    size_t digits = strlen(argument);
    if (digits == 0 || digits % (2 * pageSize) || digits / 2 > sizeof bytes)
        return fail("this is not a number of whole pages");
    count = digits / 2 / pageSize;
    for (int place = 0; place < count * pageSize; place++) {
        if (sscanf(argument + 2 * place, "%2hhx", bytes + place) != 1)
            return fail("these are not hexadecimal digits");
    }
    if (writePages(tag, first, count, bytes)) return fail("a page was not written");
    if (!strcmp(task, "write")) return EXIT_SUCCESS;
    if (readPages(tag, first, count, readBack)) return fail("a page was not read back");
    if (memcmp(bytes, readBack, count * pageSize)) return fail("a page holds something else");
    return EXIT_SUCCESS;
}

int main(int count, char **words) {
    if (count != 4) return fail("pages_with_freefare read|write|verify FIRST COUNT|HEX");
    nfc_context *context;
    nfc_init(&context);
    if (!context) return fail("libnfc does not start");
    nfc_device *device = nfc_open(context, NULL);
    if (!device) return fail("no reader");
    MifareTag *tags = freefare_get_tags(device);
    int status = EXIT_FAILURE;
    if (!tags || !tags[0] || freefare_get_tag_type(tags[0]) != ULTRALIGHT) {
        fail("no tag that libfreefare knows as an Ultralight");
    } else if (mifare_ultralight_connect(tags[0])) {
        fail("the tag was not selected");
    } else {
        status = perform(tags[0], words[1], atoi(words[2]), words[3]);
        mifare_ultralight_disconnect(tags[0]);
    }
    freefare_free_tags(tags);
    nfc_close(device);
    nfc_exit(context);
    return status;
}
