/* A native plugin in C, written from xivmcp.h alone, that does what a test asks for through its gates. It can be built
 * wrong on purpose: -DPROBE_NO_ENTRY, -DPROBE_VERSION=n, -DPROBE_SIZE=n, -DPROBE_REFUSES, -DPROBE_PANICS,
 * -DPROBE_NO_TABLE=1. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>

#include "xivmcp.h"

#ifndef PROBE_VERSION
#define PROBE_VERSION XIV_MCP_VERSION
#endif
#ifndef PROBE_NO_TABLE
#define PROBE_NO_TABLE 0
#endif
#ifndef PROBE_SIZE
#define PROBE_SIZE sizeof(XivMcpPlugin)
#endif

static XivMcpHost host;
static char name[128];
static atomic_int buffers;      /* handed out and not freed yet */
static int keep_loaded;         /* how often stop answers KEEP_LOADED */

static XivMcpSlice text(const char *s) { return (XivMcpSlice){(const uint8_t *)s, strlen(s)}; }

static void free_buffer(void *owner, uint8_t *ptr, size_t len) {
    (void)len;
    if (owner == &host) { free(ptr); buffers--; }
}

static void give(XivMcpOwned *to, const void *bytes, size_t len) {
    uint8_t *copy = malloc(len + 1);
    memcpy(copy, bytes, len);
    *to = (XivMcpOwned){copy, len, &host, free_buffer};
    buffers++;
}

static void give_str(XivMcpOwned *to, const char *s) { give(to, s, strlen(s)); }

static int32_t give_text(XivMcpReply *reply, const char *s) {
    reply->value_type = XIV_MCP_VALUE_TYPE_TEXT;
    give_str(&reply->text, s);
    return XIV_MCP_STATUS_OK;
}

static void drop(XivMcpOwned *owned) {
    if (owned->free) owned->free(owned->owner, owned->ptr, owned->len);
}

static void say(const char *line) { host.log(host.context, XIV_MCP_LOG_SEVERITY_INFORMATION, text(line)); }

/* The whole reply of a call out, as text: "status|kind|text|given". */
static int32_t give_outcome(XivMcpReply *reply, int32_t status, XivMcpReply *inner) {
    char line[4096];
    snprintf(line, sizeof line, "%d|%.*s|%.*s|%d", status, (int)inner->kind.len, inner->kind.ptr ? (char *)inner->kind.ptr : "",
             (int)inner->text.len, inner->text.ptr ? (char *)inner->text.ptr : "", (int)inner->given);
    drop(&inner->text);
    drop(&inner->kind);
    return give_text(reply, line);
}

enum {
    ECHO = 100,   /* + value type: gives its argument back */
    RELAY = 200,  /* + value type: calls Other.Echo<type>, gives what it gave */
    EIGHT = 300, MIXED, ACT, LISTEN, CALL, CALL_BAD_TEXT, CALL_TOO_MANY, BAD_REPLY, WRONG_REPLY, FAIL, PANIC, CLOSURES, SERVICE,
    SESSION, COMMAND, KEEP, BUFFERS, REPLACE, SEND, ACTION_OUT, CHAT, FRAMES, ONE_PLACE_A, ONE_PLACE_B, TAKE_A, LOG_LEVELS,
    CLOSURE = 1000, NESTED = 1100, TYPED = 2000, UPDATE, EVENTS, GONE
};

static const char *type_names[] = {"", "Bool", "I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64", "F32", "F64", "Text"};
static atomic_int frames;
static uint64_t next_command = 5000;

static int32_t invoke(void *context, uint64_t id, const XivMcpValue *a, uint32_t count, XivMcpReply *reply) {
    (void)context;
    XivMcpReply inner = {0};
    char line[256];
    if (id > ECHO && id <= ECHO + 12) {
        reply->value_type = a[0].value_type;
        reply->bits = a[0].bits;
        if (a[0].value_type == XIV_MCP_VALUE_TYPE_TEXT) give(&reply->text, a[0].text.ptr, a[0].text.len);
        return a[0].value_type == id - ECHO ? XIV_MCP_STATUS_OK : XIV_MCP_STATUS_TYPE_MISMATCH;
    }
    if (id > RELAY && id <= RELAY + 12) {
        snprintf(line, sizeof line, "Other.Echo%s", type_names[id - RELAY]);
        int32_t status = host.call_function(host.context, text(line), a, count, (uint32_t)(id - RELAY), &inner);
        if (status != XIV_MCP_STATUS_OK) { reply->text = (XivMcpOwned){0}; drop(&inner.text); drop(&inner.kind); return XIV_MCP_STATUS_FAILED; }
        reply->value_type = inner.value_type;
        reply->bits = inner.bits;
        if (inner.value_type == XIV_MCP_VALUE_TYPE_TEXT) give(&reply->text, inner.text.ptr, inner.text.len);
        drop(&inner.text);
        return XIV_MCP_STATUS_OK;
    }
    switch (id) {
    case EIGHT: {
        char all[1024] = "";
        for (uint32_t i = 0; i < count; i++) { strncat(all, (const char *)a[i].text.ptr, a[i].text.len); strcat(all, "|"); }
        return give_text(reply, all);
    }
    case MIXED: {
        double d; float f; uint32_t bits = (uint32_t)a[2].bits;
        memcpy(&d, &a[3].bits, 8); memcpy(&f, &bits, 4);
        snprintf(line, sizeof line, "%d %lld %.2f %.3f %.*s", (int)a[0].bits, (long long)a[1].bits, f, d, (int)a[4].text.len, a[4].text.ptr);
        return give_text(reply, line);
    }
    case ACT: case LISTEN:
        snprintf(line, sizeof line, "%s %.*s", id == ACT ? "acted" : "heard", (int)(count ? a[0].text.len : 0), count ? (char *)a[0].text.ptr : "");
        say(line);
        return XIV_MCP_STATUS_OK;
    case CALL: {
        XivMcpSlice gate = a[0].text;
        int32_t status = host.call_function(host.context, gate, a + 1, count - 1, XIV_MCP_VALUE_TYPE_TEXT, &inner);
        return give_outcome(reply, status, &inner);
    }
    case ACTION_OUT: return give_outcome(reply, host.call_action(host.context, a[0].text, a + 1, count - 1, &inner), &inner);
    case SEND: return give_outcome(reply, host.send_message(host.context, a[0].text, a + 1, count - 1, &inner), &inner);
    case CALL_BAD_TEXT: {
        XivMcpValue bad = {.value_type = XIV_MCP_VALUE_TYPE_TEXT, .text = {(const uint8_t *)"\xff\xfe", 2}};
        return give_outcome(reply, host.call_function(host.context, text("Other.EchoText"), &bad, 1, XIV_MCP_VALUE_TYPE_TEXT, &inner), &inner);
    }
    case CALL_TOO_MANY: {
        XivMcpValue many[9];
        for (int i = 0; i < 9; i++) many[i] = (XivMcpValue){.value_type = XIV_MCP_VALUE_TYPE_I32, .bits = 1};
        return give_outcome(reply, host.call_function(host.context, text("Other.EchoI32"), many, 9, XIV_MCP_VALUE_TYPE_I32, &inner), &inner);
    }
    case BAD_REPLY:
        reply->value_type = XIV_MCP_VALUE_TYPE_TEXT;
        give(&reply->text, "\xff\xfe", 2);
        return XIV_MCP_STATUS_OK;
    case WRONG_REPLY:
        reply->value_type = XIV_MCP_VALUE_TYPE_I32;
        return XIV_MCP_STATUS_OK;
    case FAIL:
        give_str(&reply->text, "no bags left");
        give_str(&reply->kind, "BagError");
        return XIV_MCP_STATUS_FAILED;
    case PANIC:
        give_str(&reply->text, "index out of bounds, src/bags.rs:7");
        return XIV_MCP_STATUS_PANICKED;
    case CLOSURES:
        for (int i = 0; i < 3; i++) host.run_on_next_update(host.context, CLOSURE + i);
        return give_text(reply, "queued");
    case SERVICE: return give_outcome(reply, host.call_service(host.context, a[0].text, a[1].text, &inner), &inner);
    case SESSION: {
        XivMcpSession s = {7, 7};
        int32_t there = host.session(host.context, &s);
        snprintf(line, sizeof line, "%d %u %u", there, s.territory, s.world);
        return give_text(reply, line);
    }
    case COMMAND: return give_outcome(reply, host.add_command(host.context, a[0].text, text("help"), next_command++, &inner), &inner);
    case KEEP: keep_loaded = (int)a[0].bits; return XIV_MCP_STATUS_OK;
    case BUFFERS:
        snprintf(line, sizeof line, "%d", atomic_load(&buffers));
        return give_text(reply, line);
    case FRAMES:
        snprintf(line, sizeof line, "%d", atomic_load(&frames));
        return give_text(reply, line);
    case REPLACE: {
        uint32_t type = XIV_MCP_VALUE_TYPE_TEXT;
        snprintf(line, sizeof line, "%s.OnePlace", name);
        host.provide_function(host.context, text(line), &type, 0, type, ONE_PLACE_B, &inner);
        host.remove(host.context, ONE_PLACE_A);
        return give_text(reply, "replaced");
    }
    case ONE_PLACE_A: return give_text(reply, "a");
    case ONE_PLACE_B: return give_text(reply, "b");
    case TAKE_A: host.remove(host.context, LISTEN); host.remove(host.context, GONE); host.remove(host.context, UPDATE); return give_text(reply, "taken");
    case CHAT:
        host.print_chat(host.context, 0, a[0].text);
        host.print_chat(host.context, 1, a[0].text);
        return give_text(reply, "printed");
    case LOG_LEVELS:
        for (int32_t level = 0; level < 6; level++) host.log(host.context, level, text("{braces} %d \xff"));
        return give_text(reply, "logged");
    default: return XIV_MCP_STATUS_UNKNOWN;
    }
}

static int32_t run_closure(void *context, uint64_t id, int32_t give_up) {
    (void)context;
    char line[128];
    snprintf(line, sizeof line, "closure %d %s on %d", (int)id, give_up ? "given up" : "run", host.is_framework_thread(host.context));
    say(line);
    if (id == CLOSURE) host.run_on_next_update(host.context, NESTED);
    return XIV_MCP_STATUS_OK;
}

static int32_t command(void *context, uint64_t id, XivMcpSlice typed, XivMcpSlice arguments) {
    (void)context;
    char line[256];
    snprintf(line, sizeof line, "typed %d %.*s [%.*s] on %d", (int)id, (int)typed.len, typed.ptr, (int)arguments.len,
             arguments.len ? (char *)arguments.ptr : "", host.is_framework_thread(host.context));
    say(line);
    return XIV_MCP_STATUS_OK;
}

static int32_t update(void *context, uint64_t id) { (void)context; (void)id; frames++; return XIV_MCP_STATUS_OK; }

static int32_t session_event(void *context, uint64_t id, int32_t change, const XivMcpSession *s) {
    (void)context; (void)id;
    char line[128];
    if (s) snprintf(line, sizeof line, "session %d %u %u", change, s->territory, s->world);
    else snprintf(line, sizeof line, "session %d nowhere", change);
    say(line);
    return XIV_MCP_STATUS_OK;
}

static int32_t stop(void *context, uint32_t limit_ms, XivMcpReply *reply) {
    (void)context;
    char line[128];
    snprintf(line, sizeof line, "stop, limit %s, framework %d", limit_ms > 1000 ? "long" : "short", host.is_framework_thread(host.context));
    say(line);
    if (keep_loaded-- > 0) { give_str(&reply->text, "the tool `probe_farm`"); return XIV_MCP_STATUS_KEEP_LOADED; }
    return XIV_MCP_STATUS_OK;
}

static void release(void *context) {
    (void)context;
    char line[128];
    snprintf(line, sizeof line, "released, %d buffers out", atomic_load(&buffers));
    say(line);
}

static const XivMcpPlugin plugin = {
    PROBE_SIZE, PROBE_VERSION, NULL, {(const uint8_t *)"probe", 5},
    invoke, run_closure, command, update, session_event, stop, release,
};

static void provide(const char *gate, uint64_t id, uint32_t returns, const uint32_t *types, uint32_t count) {
    char full[256];
    XivMcpReply reply = {0};
    snprintf(full, sizeof full, "%s.%s", name, gate);
    host.provide_function(host.context, text(full), types, count, returns, id, &reply);
    drop(&reply.text);
    drop(&reply.kind);
}

#ifdef PROBE_NO_ENTRY
#define xivmcp_plugin_entry_v1 another_entry
#endif
int32_t xivmcp_plugin_entry_v1(const XivMcpHost *given, const XivMcpPlugin **table, XivMcpOwned *message) {
    enum { I = XIV_MCP_VALUE_TYPE_I32, B = XIV_MCP_VALUE_TYPE_BOOL, L = XIV_MCP_VALUE_TYPE_I64, F = XIV_MCP_VALUE_TYPE_F32,
           D = XIV_MCP_VALUE_TYPE_F64, T = XIV_MCP_VALUE_TYPE_TEXT };
    static const uint32_t t[] = {T, T, T, T, T, T, T, T};
    static const uint32_t mixed[] = {B, L, F, D, T}, number[] = {I};
    XivMcpReply reply = {0};
    char line[256];
    if (given->version != XIV_MCP_VERSION || given->size < sizeof host) return XIV_MCP_STATUS_VERSION;
    host = *given;
    snprintf(name, sizeof name, "%.*s", (int)host.internal_name.len, host.internal_name.ptr);
    *table = PROBE_NO_TABLE ? NULL : &plugin;
    snprintf(line, sizeof line, "host %.*s", (int)given->host_name.len, given->host_name.ptr);
    say(line);
    for (uint32_t type = 1; type <= 12; type++) {
        snprintf(line, sizeof line, "Echo%s", type_names[type]);
        provide(line, ECHO + type, type, &type, 1);
        snprintf(line, sizeof line, "Relay%s", type_names[type]);
        provide(line, RELAY + type, type, &type, 1);
    }
    provide("Eight", EIGHT, T, t, 8);
    provide("Mixed", MIXED, T, mixed, 5);
    provide("Call0", CALL, T, t, 1);
    provide("CallAction", ACTION_OUT, T, t, 2);
    provide("Send", SEND, T, t, 2);
    provide("CallBadText", CALL_BAD_TEXT, T, t, 0);
    provide("CallTooMany", CALL_TOO_MANY, T, t, 0);
    provide("BadReply", BAD_REPLY, T, t, 0);
    provide("WrongReply", WRONG_REPLY, T, t, 0);
    provide("Fail", FAIL, T, t, 0);
    provide("Panic", PANIC, T, t, 0);
    provide("Closures", CLOSURES, T, t, 0);
    provide("Service", SERVICE, T, t, 2);
    provide("Session", SESSION, T, t, 0);
    provide("Command", COMMAND, T, t, 1);
    provide("Keep", KEEP, XIV_MCP_VALUE_TYPE_UNIT, number, 1);
    provide("Buffers", BUFFERS, T, t, 0);
    provide("Frames", FRAMES, T, t, 0);
    provide("Replace", REPLACE, T, t, 0);
    provide("OnePlace", ONE_PLACE_A, T, t, 0);
    provide("Take", TAKE_A, T, t, 0);
    provide("Chat", CHAT, T, t, 1);
    provide("LogLevels", LOG_LEVELS, T, t, 0);
    provide("Gone", GONE, T, t, 0);
    snprintf(line, sizeof line, "%s.Act", name);
    host.provide_action(host.context, text(line), t, 1, ACT, &reply);
    host.subscribe(host.context, text("Other.News"), t, 1, LISTEN, &reply);
    host.on_update(host.context, UPDATE);
    host.on_session(host.context, EVENTS);
#ifdef PROBE_REFUSES
    give_str(message, "no data for this game version");
    return XIV_MCP_STATUS_FAILED;
#elif defined PROBE_PANICS
    give_str(message, "assertion failed, src/lib.rs:3");
    return XIV_MCP_STATUS_PANICKED;
#else
    (void)message;
    return XIV_MCP_STATUS_OK;
#endif
}
