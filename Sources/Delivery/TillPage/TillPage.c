#include "TillPage.h"

// Clang supports #embed even for older C standards, but warns about it.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Each file in the page folder is listed twice: its bytes here, and its name in the table below.
static const unsigned char activate_js[] = {
#embed "page/activate.js"
};
static const unsigned char api_js[] = {
#embed "page/api.js"
};
static const unsigned char app_js[] = {
#embed "page/app.js"
};
static const unsigned char board_js[] = {
#embed "page/board.js"
};
static const unsigned char card_face_js[] = {
#embed "page/card-face.js"
};
static const unsigned char till_js[] = {
#embed "page/till.js"
};
static const unsigned char tills_js[] = {
#embed "page/tills.js"
};
static const unsigned char cards_js[] = {
#embed "page/cards.js"
};
static const unsigned char customer_display_js[] = {
#embed "page/customer-display.js"
};
static const unsigned char display_html[] = {
#embed "page/display.html"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char entry_form_js[] = {
#embed "page/entry-form.js"
};
static const unsigned char find_js[] = {
#embed "page/find.js"
};
static const unsigned char guard_js[] = {
#embed "page/guard.js"
};
static const unsigned char health_js[] = {
#embed "page/health.js"
};
static const unsigned char history_js[] = {
#embed "page/history.js"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char live_js[] = {
#embed "page/live.js"
};
static const unsigned char lottery_js[] = {
#embed "page/lottery.js"
};
static const unsigned char manage_tills_js[] = {
#embed "page/manage-tills.js"
};
static const unsigned char mastermind_js[] = {
#embed "page/mastermind.js"
};
static const unsigned char notices_js[] = {
#embed "page/notices.js"
};
static const unsigned char offers_js[] = {
#embed "page/offers.js"
};
static const unsigned char page_css[] = {
#embed "page/page.css"
};
static const unsigned char refusals_js[] = {
#embed "page/refusals.js"
};
static const unsigned char reports_js[] = {
#embed "page/reports.js"
};
static const unsigned char scratch_cover_js[] = {
#embed "page/scratch-cover.js"
};
static const unsigned char products_js[] = {
#embed "page/products.js"
};
static const unsigned char receipt_js[] = {
#embed "page/receipt.js"
};
static const unsigned char roles_js[] = {
#embed "page/roles.js"
};
static const unsigned char sale_js[] = {
#embed "page/sale.js"
};
static const unsigned char sell_css[] = {
#embed "page/sell.css"
};
static const unsigned char scratch_js[] = {
#embed "page/scratch.js"
};
static const unsigned char service_strings_js[] = {
#embed "page/service-strings.js"
};
static const unsigned char shift_js[] = {
#embed "page/shift.js"
};
static const unsigned char simulator_js[] = {
#embed "page/simulator.js"
};
static const unsigned char small_css[] = {
#embed "page/small.css"
};
static const unsigned char cart_js[] = {
#embed "page/cart.js"
};
static const unsigned char catalog_js[] = {
#embed "page/catalog.js"
};
static const unsigned char sounds_js[] = {
#embed "page/sounds.js"
};
static const unsigned char panel_js[] = {
#embed "page/panel.js"
};
static const unsigned char steps_js[] = {
#embed "page/steps.js"
};
static const unsigned char store_js[] = {
#embed "page/store.js"
};
static const unsigned char strings_js[] = {
#embed "page/strings.js"
};
static const unsigned char tapcard_webmanifest[] = {
#embed "page/tapcard.webmanifest"
};
static const unsigned char tasks_js[] = {
#embed "page/tasks.js"
};
static const unsigned char tender_js[] = {
#embed "page/tender.js"
};
static const unsigned char tickets_js[] = {
#embed "page/tickets.js"
};
static const unsigned char ui_js[] = {
#embed "page/ui.js"
};
static const unsigned char words_js[] = {
#embed "page/words.js"
};

#define FILE_NAMED(name, bytes) {name, bytes, sizeof bytes}

static const till_page_entry files[] = {
    FILE_NAMED("activate.js", activate_js),
    FILE_NAMED("api.js", api_js),
    FILE_NAMED("app.js", app_js),
    FILE_NAMED("board.js", board_js),
    FILE_NAMED("card-face.js", card_face_js),
    FILE_NAMED("till.js", till_js),
    FILE_NAMED("tills.js", tills_js),
    FILE_NAMED("cards.js", cards_js),
    FILE_NAMED("customer-display.js", customer_display_js),
    FILE_NAMED("display.html", display_html),
    FILE_NAMED("dom.js", dom_js),
    FILE_NAMED("entry-form.js", entry_form_js),
    FILE_NAMED("find.js", find_js),
    FILE_NAMED("guard.js", guard_js),
    FILE_NAMED("health.js", health_js),
    FILE_NAMED("history.js", history_js),
    FILE_NAMED("icon.svg", icon_svg),
    FILE_NAMED("index.html", index_html),
    FILE_NAMED("live.js", live_js),
    FILE_NAMED("lottery.js", lottery_js),
    FILE_NAMED("manage-tills.js", manage_tills_js),
    FILE_NAMED("mastermind.js", mastermind_js),
    FILE_NAMED("notices.js", notices_js),
    FILE_NAMED("offers.js", offers_js),
    FILE_NAMED("page.css", page_css),
    FILE_NAMED("products.js", products_js),
    FILE_NAMED("receipt.js", receipt_js),
    FILE_NAMED("refusals.js", refusals_js),
    FILE_NAMED("reports.js", reports_js),
    FILE_NAMED("scratch-cover.js", scratch_cover_js),
    FILE_NAMED("roles.js", roles_js),
    FILE_NAMED("sale.js", sale_js),
    FILE_NAMED("sell.css", sell_css),
    FILE_NAMED("scratch.js", scratch_js),
    FILE_NAMED("service-strings.js", service_strings_js),
    FILE_NAMED("shift.js", shift_js),
    FILE_NAMED("simulator.js", simulator_js),
    FILE_NAMED("small.css", small_css),
    FILE_NAMED("cart.js", cart_js),
    FILE_NAMED("catalog.js", catalog_js),
    FILE_NAMED("sounds.js", sounds_js),
    FILE_NAMED("panel.js", panel_js),
    FILE_NAMED("steps.js", steps_js),
    FILE_NAMED("store.js", store_js),
    FILE_NAMED("strings.js", strings_js),
    FILE_NAMED("tapcard.webmanifest", tapcard_webmanifest),
    FILE_NAMED("tasks.js", tasks_js),
    FILE_NAMED("tender.js", tender_js),
    FILE_NAMED("tickets.js", tickets_js),
    FILE_NAMED("ui.js", ui_js),
    FILE_NAMED("words.js", words_js),
};

const size_t till_page_count = sizeof files / sizeof *files;

till_page_entry till_page_file(size_t index) { return files[index]; }
