/* xivmcp.h: the C ABI between a Dalamud plugin's native library and the host that loads it.
 * Generated from the `abi` module of the crate xivmcp-dalamud; do not edit.
 *
 * Two sides speak this ABI. The *host* lives in the game's process and reaches Dalamud: the C# shim, or a stand-in in a
 * test. The *plugin* is a native library written with `xivmcp-dalamud`, or with anything else that keeps to this file.
 * Each gives the other one table of functions. All of it is C: the platform's C calling convention, 64-bit, no bool and
 * no enum by value, no varargs, no struct returned by value.
 *
 * # Loading
 *
 * 1. The host loads the library, and looks for the symbol `xivmcp_plugin_entry_v1`. If it is not there, the library was
 *    built for another version of this ABI, or is no plugin.
 * 2. It calls the entry with its own table, a place for the plugin's (NULL), and a zeroed `XivMcpOwned` for a sentence.
 *    The plugin checks the host's table, puts its own into the place, starts, and registers what it offers.
 * 3. The host checks the plugin's table in the same way, as soon as it needs it: another thread may call a gate that was
 *    just provided, before the entry has returned.
 *
 * A library may be started several times in one process, once per plugin; nothing is shared between these but the code.
 *
 * # Versions and sizes
 *
 * Each table begins with its size and its version. A reader looks at these two first, and at nothing else if they do not
 * fit. The version is that of this file, 1. Within a version functions are only ever appended to a table: a reader takes
 * what lies within the size that it was told, and what it knows; what lies beyond either counts as NULL. So a newer host
 * runs an older plugin and the other way round. A change that breaks this raises the version, and the number in the
 * entry's name. A table that is too small to have what is marked as needed, or has NULL there, or has another version, is
 * refused with `VERSION` and a sentence that names both sides.
 *
 * # Buffers
 *
 * - `XivMcpSlice` is borrowed: valid until the call returns. Who wants to keep it copies it.
 * - `XivMcpOwned` changes hands: the receiver copies it, and calls its `free` once. Each side frees what it made.
 * - `XivMcpReply` is the caller's memory. The caller zeroes it; the callee fills it; the caller frees the two
 *   `XivMcpOwned` in it, with every status. The same goes for the entry's `message`.
 * - No other pointer is kept after a call, with three exceptions: both tables' `context`, and the plugin's table itself.
 *
 * # Text
 *
 * UTF-8 with a length, no closing NUL. Empty text, NULs in it, and megabytes of it are all fine. Bytes that are not UTF-8
 * make the call fail with `BAD_TEXT` before anything is done; in a reply they make the caller's call fail.
 *
 * # Threads
 *
 * - The host's functions may be called from any thread at any time between the start of the entry and the end of `stop`;
 *   `log` and `is_framework_thread` until `release` has returned.
 * - The plugin's `invoke` may be called from any thread, at any time between the moment an id was passed to the host and
 *   the return of `stop`. After the start of `stop` it may answer `CLOSED`.
 * - `run_closure` (to run), `command`, `update` and `session_event` are called on the framework thread only.
 * - Calls nest in both directions. No side holds a lock of its own while it calls the other, or while it frees a buffer of
 *   the other.
 *
 * # Ids
 *
 * The plugin numbers what it provides, subscribes to, adds and queues. It uses a number once. Ids of one plugin mean
 * nothing to another.
 *
 * # Failures
 *
 * Nothing unwinds across the boundary: no exception, no panic, no longjmp. A call that fails returns a status that is not
 * `OK`, and may put a sentence into the reply. A plugin that panicked goes on working; it has logged the panic, with its
 * place in the source, through `log`.
 *
 * # Unloading
 *
 * 1. The host calls `stop`, once it wants the plugin gone. Before that it does *not* take anything away, so that the
 *    plugin can say goodbye through the gates.
 * 2. The plugin tells its running handlers to end, gives back what it registered, and waits, at most for the limit: for
 *    its handlers, for calls that are inside `invoke` on other threads, and for its threads. Framework closures still run
 *    meanwhile: on the framework thread `stop` runs them itself; elsewhere the host goes on calling `run_closure`, or gives
 *    them up if the game unloads. At the end the plugin drops what is left of them, and every function answers `CLOSED`.
 * 3. `OK`: no thread and no handler of the plugin is left, and all ids are free; the host drops what it still has of
 *    them, queued closures too. It waits until its own calls into the plugin have returned, calls `release`, and frees
 *    the library. Every buffer that the plugin handed out must have been freed before.
 * 4. `KEEP_LOADED`: a handler or thread did not end in time, and `text` names it where the plugin can. Or `stop` was called
 *    from inside a call into or out of this plugin, on the same thread: then it only begins, waits for nothing, and must be
 *    called again from elsewhere once that call has returned. The host must not free the library now: it logs the text,
 *    and either keeps the library loaded for good, or calls `stop` again later, until that is `OK`. A host that asks again
 *    does so with the limit 0: then `stop` does not wait, and tells how things stand. Until it is `OK` the host's functions
 *    stay callable, and answer `CLOSED`. Only one `stop` runs at a time; another one meanwhile is `KEEP_LOADED` too. A
 *    library that is kept loaded costs memory; one that is freed too early takes the game with it.
 *
 * On Windows a library can be freed while threads live that have called it. On systems with `pthread_key_create` the
 * plugin's language may have left destructors for thread-locals with such threads, which run at their end: a host there
 * frees the library after those threads have ended, or not at all.
 */

#ifndef XIVMCP_H
#define XIVMCP_H

#include <stddef.h>
#include <stdint.h>

/* The version of this ABI. */
#define XIV_MCP_VERSION 1

/* The symbol that a plugin's library exports; it has the type XivMcpPluginEntry. */
#define XIV_MCP_ENTRY_SYMBOL "xivmcp_plugin_entry_v1"

/* How many arguments a gate takes at most. */
#define XIV_MCP_MAX_ARGUMENTS 8

/*
 What a call came to, as the `int32_t` that nearly every function returns. What else is known stands in the
 `Reply`. A receiver takes a code that it does not know as `FAILED`.
 */
enum XivMcpStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   It was done. The reply has the value that was asked for, if any.
   */
  XIV_MCP_STATUS_OK = 0,
  /*
   Nobody provides the gate.
   */
  XIV_MCP_STATUS_NOT_READY = 1,
  /*
   The other side's code failed: `kind` is the failure's type, as its language names it
   (`InvalidOperationException`), and `text` its message.
   */
  XIV_MCP_STATUS_FAILED = 2,
  /*
   The plugin's code panicked: `text` has the message, and the place in the source. The plugin still works.
   */
  XIV_MCP_STATUS_PANICKED = 3,
  /*
   The gate takes another number of arguments: `expected` is that number, or `UINT32_MAX` if it is not known.
   */
  XIV_MCP_STATUS_LENGTH_MISMATCH = 4,
  /*
   A value cannot be converted: `position` tells which (0 the returned value, n the n-th argument), `given` and
   `expected` are value types, `UINT32_MAX` where not known. `text` says it in words where they are not.
   */
  XIV_MCP_STATUS_TYPE_MISMATCH = 5,
  /*
   The plugin was told to stop, or the host is unloading: nothing can be reached any more.
   */
  XIV_MCP_STATUS_CLOSED = 6,
  /*
   A text that was passed is not UTF-8. Nothing was done.
   */
  XIV_MCP_STATUS_BAD_TEXT = 7,
  /*
   This side cannot do that at all: `text` says why.
   */
  XIV_MCP_STATUS_UNSUPPORTED = 8,
  /*
   The tables' versions or sizes do not fit together: `text` says what to update. Only from the entry.
   */
  XIV_MCP_STATUS_VERSION = 9,
  /*
   There is no service of that name; or no function, command or handler of that id (any more).
   */
  XIV_MCP_STATUS_UNKNOWN = 10,
  /*
   Refused by the rules of the game's side: a command that is taken or does not start with `/`. `text` says why.
   */
  XIV_MCP_STATUS_REFUSED = 11,
  /*
   The plugin has not ended: the library must stay loaded. `text` says what still runs. Only from the entry and
   `stop`.
   */
  XIV_MCP_STATUS_KEEP_LOADED = 12,
  /*
   The caller broke the contract: a NULL that must not be one, more than 8 arguments, an unknown value type.
   */
  XIV_MCP_STATUS_INVALID = 13,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum XivMcpStatus XivMcpStatus;
#else
typedef int32_t XivMcpStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 The type of a value, as the `uint32_t` beside it.
 */
enum XivMcpValueType
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Nothing: what an action returns. Never an argument. `bits` is 0.
   */
  XIV_MCP_VALUE_TYPE_UNIT = 0,
  /*
   C#'s `bool`: `bits` is 0 or 1.
   */
  XIV_MCP_VALUE_TYPE_BOOL = 1,
  /*
   C#'s `sbyte`: `bits` is the number, sign-extended to 64 bits.
   */
  XIV_MCP_VALUE_TYPE_I8 = 2,
  /*
   C#'s `byte`: `bits` is the number.
   */
  XIV_MCP_VALUE_TYPE_U8 = 3,
  /*
   C#'s `short`: `bits` is the number, sign-extended to 64 bits.
   */
  XIV_MCP_VALUE_TYPE_I16 = 4,
  /*
   C#'s `ushort`: `bits` is the number.
   */
  XIV_MCP_VALUE_TYPE_U16 = 5,
  /*
   C#'s `int`: `bits` is the number, sign-extended to 64 bits.
   */
  XIV_MCP_VALUE_TYPE_I32 = 6,
  /*
   C#'s `uint`: `bits` is the number.
   */
  XIV_MCP_VALUE_TYPE_U32 = 7,
  /*
   C#'s `long`: `bits` is the number in two's complement.
   */
  XIV_MCP_VALUE_TYPE_I64 = 8,
  /*
   C#'s `ulong`: `bits` is the number.
   */
  XIV_MCP_VALUE_TYPE_U64 = 9,
  /*
   C#'s `float`: the low 32 bits of `bits` are its IEEE 754 bits, the others 0.
   */
  XIV_MCP_VALUE_TYPE_F32 = 10,
  /*
   C#'s `double`: `bits` are its IEEE 754 bits.
   */
  XIV_MCP_VALUE_TYPE_F64 = 11,
  /*
   C#'s `string`: `text` has it; `bits` is 0. A null string crosses as an empty one. UTF-16 that is none (a lone
   surrogate) becomes U+FFFD on the way to UTF-8.
   */
  XIV_MCP_VALUE_TYPE_TEXT = 12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum XivMcpValueType XivMcpValueType;
#else
typedef uint32_t XivMcpValueType;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What happened to the player's session, as the `int32_t` of `session_event`.
 */
enum XivMcpSessionChange
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   A character is in the game now.
   */
  XIV_MCP_SESSION_CHANGE_LOGIN = 1,
  /*
   The character has left the game.
   */
  XIV_MCP_SESSION_CHANGE_LOGOUT = 2,
  /*
   The character is in another territory now.
   */
  XIV_MCP_SESSION_CHANGE_TERRITORY_CHANGED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum XivMcpSessionChange XivMcpSessionChange;
#else
typedef int32_t XivMcpSessionChange;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 How much a line of the log matters, as the `int32_t` of `log`: Dalamud's levels.
 */
enum XivMcpLogSeverity
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Dalamud's `Verbose`.
   */
  XIV_MCP_LOG_SEVERITY_VERBOSE = 0,
  /*
   Dalamud's `Debug`.
   */
  XIV_MCP_LOG_SEVERITY_DEBUG = 1,
  /*
   Dalamud's `Information`.
   */
  XIV_MCP_LOG_SEVERITY_INFORMATION = 2,
  /*
   Dalamud's `Warning`.
   */
  XIV_MCP_LOG_SEVERITY_WARNING = 3,
  /*
   Dalamud's `Error`.
   */
  XIV_MCP_LOG_SEVERITY_ERROR = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum XivMcpLogSeverity XivMcpLogSeverity;
#else
typedef int32_t XivMcpLogSeverity;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Borrowed bytes, valid until the call that they were passed to returns. Text is UTF-8 without a closing NUL; it may
 contain NULs. An empty slice has `len` 0 and any `ptr`, NULL too.
 */
typedef struct XivMcpSlice {
  /*
   The first byte. It may be NULL if `len` is 0.
   */
  const uint8_t *ptr;
  /*
   How many bytes there are.
   */
  size_t len;
} XivMcpSlice;

/*
 An argument. It borrows its text until the call returns.
 */
typedef struct XivMcpValue {
  /*
   A `ValueType`.
   */
  uint32_t value_type;
  /*
   0.
   */
  uint32_t reserved;
  /*
   The number, as the value type says.
   */
  uint64_t bits;
  /*
   The text, if it is one; else empty.
   */
  struct XivMcpSlice text;
} XivMcpValue;

/*
 Bytes that are handed over. The side that fills one sets all four fields; the side that receives it copies the
 bytes and then calls `free(owner, ptr, len)` once, from any thread, whatever status came with it.

 `free` is NULL where there is nothing to free: then `ptr` is NULL and `len` is 0. Memory is never freed by the side
 that did not make it.
 */
typedef struct XivMcpOwned {
  /*
   The first byte. It may be NULL if `len` is 0.
   */
  uint8_t *ptr;
  /*
   How many bytes there are.
   */
  size_t len;
  /*
   What the maker needs to free it; it means nothing to the receiver.
   */
  void *owner;
  /*
   Frees it. It never unwinds.
   */
  void (*free)(void *owner, uint8_t *ptr, size_t len);
} XivMcpOwned;

/*
 What a call gives back beside its status. The caller sets every byte to 0 before the call, and frees `text` and
 `kind` after it (see `Owned`), whatever the status is. Which fields mean something depends on the status.
 */
typedef struct XivMcpReply {
  /*
   `OK`: the `ValueType` of what is returned.
   */
  uint32_t value_type;
  /*
   `TYPE_MISMATCH`: 0 for the returned value, n for the n-th argument.
   */
  uint32_t position;
  /*
   `OK`: the number that is returned, as in `Value`.
   */
  uint64_t bits;
  /*
   `TYPE_MISMATCH`: the `ValueType` that was given. `LENGTH_MISMATCH`: how many arguments were given.
   */
  uint32_t given;
  /*
   `TYPE_MISMATCH`: the `ValueType` that is there. `LENGTH_MISMATCH`: how many arguments the gate takes.
   `UINT32_MAX` if not known.
   */
  uint32_t expected;
  /*
   `OK`: the text that is returned. Any other status: a sentence for the developer, where there is one.
   */
  struct XivMcpOwned text;
  /*
   `FAILED`: the failure's type, as its language names it.
   */
  struct XivMcpOwned kind;
} XivMcpReply;

/*
 Where the character is.
 */
typedef struct XivMcpSession {
  /*
   The row of the game's `TerritoryType` sheet: the zone.
   */
  uint32_t territory;
  /*
   The row of the game's `World` sheet: the world that the character is on now; 0 while the game has not told.
   */
  uint32_t world;
} XivMcpSession;

/*
 What the host offers the plugin. The host fills it and passes it to the plugin's entry, which copies it: the table
 itself need only live until the entry returns, `context` and what the functions use until the library is freed.

 Any thread may call any function at any time, also from inside a call that the host makes. The host holds no lock
 of its own while it calls the plugin or another plugin. No function waits for another thread. None unwinds: an
 exception becomes a status.

 A function that the host cannot offer is NULL, if it is not marked as needed; the plugin then does without, or
 tells its author `UNSUPPORTED`.
 */
typedef struct XivMcpHost {
  /*
   The size of this table in bytes, as the host knows it. Fields beyond it are not read.
   */
  uint32_t size;
  /*
   The version of the ABI that the host speaks: 1.
   */
  uint32_t version;
  /*
   Passed as the first argument of every function.
   */
  void *context;
  /*
   The plugin's internal name, as Dalamud spells it. Valid until the entry returns. Not empty.
   */
  struct XivMcpSlice internal_name;
  /*
   What the host is, for sentences and the log: `XivMcp shim 0.1.0 on .NET 10.0.1`. Valid until the entry returns.
   */
  struct XivMcpSlice host_name;
  /*
   Needed. Calls the function at `gate` on this thread, and gives what it returns, converted to the value type
   `returns`. `OK`, `NOT_READY`, `FAILED`, `LENGTH_MISMATCH`, `TYPE_MISMATCH`, `CLOSED`, `BAD_TEXT`, `INVALID`.
   */
  int32_t (*call_function)(void *context,
                           struct XivMcpSlice gate,
                           const struct XivMcpValue *arguments,
                           uint32_t count,
                           uint32_t returns,
                           struct XivMcpReply *reply);
  /*
   Needed. Calls the action at `gate` on this thread. Statuses as `call_function`.
   */
  int32_t (*call_action)(void *context,
                         struct XivMcpSlice gate,
                         const struct XivMcpValue *arguments,
                         uint32_t count,
                         struct XivMcpReply *reply);
  /*
   Needed. Sends a message to the subscribers of `gate` on this thread. Statuses as `call_function`, of the first
   subscriber that failed; no subscriber at all is `OK`.
   */
  int32_t (*send_message)(void *context,
                          struct XivMcpSlice gate,
                          const struct XivMcpValue *arguments,
                          uint32_t count,
                          struct XivMcpReply *reply);
  /*
   Needed. Provides the function of `gate`: `parameters` are `count` value types, `returns` is one. Calls of it
   arrive at the plugin's `invoke` with `id`, which the plugin chose and uses once only; they may arrive before
   this returns. It replaces a function that is there. `OK`, `CLOSED`, `BAD_TEXT`, `UNSUPPORTED`, `INVALID`.
   */
  int32_t (*provide_function)(void *context,
                              struct XivMcpSlice gate,
                              const uint32_t *parameters,
                              uint32_t count,
                              uint32_t returns,
                              uint64_t id,
                              struct XivMcpReply *reply);
  /*
   Needed. Provides the action of `gate`, as `provide_function` does with a function.
   */
  int32_t (*provide_action)(void *context,
                            struct XivMcpSlice gate,
                            const uint32_t *parameters,
                            uint32_t count,
                            uint64_t id,
                            struct XivMcpReply *reply);
  /*
   Needed. Subscribes to the messages of `gate`; they arrive at the plugin's `invoke` with `id`. Statuses as
   `provide_function`. If `invoke` fails, the error goes on to the sender, and subscribers behind this one miss
   the message, as with any subscriber in Dalamud.
   */
  int32_t (*subscribe)(void *context,
                       struct XivMcpSlice gate,
                       const uint32_t *parameters,
                       uint32_t count,
                       uint64_t id,
                       struct XivMcpReply *reply);
  /*
   Needed. Takes away what was provided, subscribed, added or asked for with `id`, and only that: what another id
   or another plugin has put in its place since then stays. After it has returned no new call with that id
   starts; calls that are inside go on, and are not waited for. A message that is being sent may still arrive. An
   id that is not there is `OK`.
   */
  int32_t (*remove)(void *context, uint64_t id);
  /*
   Needed. Asks for one call of the plugin's `run_closure` with `id` at the framework thread's next update, never
   inside this call; in the order in which they were asked for. `OK`: `run_closure` is called exactly once for
   it, to run or to give up (see there). Any other status: it is never called.
   */
  int32_t (*run_on_next_update)(void *context, uint64_t id);
  /*
   Needed. 1 if this thread is the framework thread, else 0.
   */
  int32_t (*is_framework_thread)(void *context);
  /*
   Needed. Writes a line to Dalamud's log; `level` is a `LogSeverity`, an unknown one counts as `ERROR`. Bytes
   that are not UTF-8 are replaced. It may be called until the library is freed.
   */
  void (*log)(void *context, int32_t level, struct XivMcpSlice text);
  /*
   Prints a line into the game's chat window, for the player only; as an error (red) if `is_error` is not 0.
   `OK`, `CLOSED`, `BAD_TEXT`, `FAILED`.
   */
  int32_t (*print_chat)(void *context, int32_t is_error, struct XivMcpSlice text);
  /*
   Adds a slash command; the plugin's `command` is called with `id` on the framework thread. `help` is what the
   game's help shows. `OK`, `REFUSED`, `CLOSED`, `BAD_TEXT`, `FAILED`.
   */
  int32_t (*add_command)(void *context,
                         struct XivMcpSlice command,
                         struct XivMcpSlice help,
                         uint64_t id,
                         struct XivMcpReply *reply);
  /*
   Asks for the plugin's `update` with `id` once a frame, on the framework thread, until `remove`. `OK`, `CLOSED`.
   */
  int32_t (*on_update)(void *context, uint64_t id);
  /*
   Asks for the plugin's `session_event` with `id` on the framework thread, until `remove`. `OK`, `CLOSED`.
   */
  int32_t (*on_session)(void *context, uint64_t id);
  /*
   1, and where the character is, if one is logged in; else 0, and `session` stays as it is.
   */
  int32_t (*session)(void *context, struct XivMcpSession *session);
  /*
   Calls a service that the plugin's author added to the host: JSON in, JSON out (`text` of the reply), on this
   thread. `OK`, `UNKNOWN`, `FAILED`, `CLOSED`, `BAD_TEXT`.
   */
  int32_t (*call_service)(void *context, struct XivMcpSlice name, struct XivMcpSlice json, struct XivMcpReply *reply);
} XivMcpHost;

/*
 What the plugin offers the host. The plugin fills all of it; it is valid until `release`. A host may refuse a plugin
 whose table lacks one of these functions, and keeps its library loaded, since it may be unable to stop it.

 `invoke` may be called from any thread, as often at once as the host likes, and from inside any function of the
 host's table. The others say where they are called. None unwinds: a panic becomes `PANICKED`.
 */
typedef struct XivMcpPlugin {
  /*
   The size of this table in bytes, as the plugin knows it. Fields beyond it are not read.
   */
  uint32_t size;
  /*
   The version of the ABI that the plugin speaks: 1.
   */
  uint32_t version;
  /*
   Passed as the first argument of every function.
   */
  void *context;
  /*
   What the plugin was built with, for sentences and the log: `xivmcp-dalamud 0.1.0`. Valid until `release`.
   */
  struct XivMcpSlice sdk_name;
  /*
   Calls the function or action that was provided, or the subscriber that was added, with `id`. The arguments
   have the types that it was provided with. The reply has a value of the type that it was provided with
   (`UNIT` for actions and subscribers). `OK`, `FAILED`, `PANICKED`, `LENGTH_MISMATCH`, `TYPE_MISMATCH`, `CLOSED`,
   `BAD_TEXT`, `UNKNOWN` (it was removed meanwhile: the host answers as if nothing were there), `INVALID`.
   */
  int32_t (*invoke)(void *context,
                    uint64_t id,
                    const struct XivMcpValue *arguments,
                    uint32_t count,
                    struct XivMcpReply *reply);
  /*
   Answers one `run_on_next_update`: runs the closure, on the framework thread, or, if `give_up` is not 0, drops
   it without running it, on any thread, because it can never run (the game unloads). Once for each id. An id
   that the plugin has dealt with itself, while it stopped, is `OK`. `OK`, `PANICKED`.
   */
  int32_t (*run_closure)(void *context, uint64_t id, int32_t give_up);
  /*
   The player typed a command that was added with `id`: `command` as typed (`/hello`), `arguments` what stands
   behind it, trimmed. On the framework thread. `OK`, `PANICKED`, `UNKNOWN`, `CLOSED`, `BAD_TEXT`.
   */
  int32_t (*command)(void *context, uint64_t id, struct XivMcpSlice command, struct XivMcpSlice arguments);
  /*
   One frame, for the `on_update` with `id`. On the framework thread. `OK`, `PANICKED`, `UNKNOWN`, `CLOSED`.
   */
  int32_t (*update)(void *context, uint64_t id);
  /*
   Something happened to the session, for the `on_session` with `id`: `change` is a `SessionChange`; an unknown
   one is ignored. `session` is where the character is now, NULL with `LOGOUT`. On the framework thread. `OK`,
   `PANICKED`, `UNKNOWN`, `CLOSED`, `INVALID`.
   */
  int32_t (*session_event)(void *context, uint64_t id, int32_t change, const struct XivMcpSession *session);
  /*
   Ends the plugin within about `limit_ms` milliseconds. See "Unloading" at the top of this file. `OK`: nothing of
   the plugin runs any more. `KEEP_LOADED`: something still runs; `text` says what. From any thread; best on the
   framework thread, where it runs the framework closures that are waited for itself. May be called again.
   */
  int32_t (*stop)(void *context, uint32_t limit_ms, struct XivMcpReply *reply);
  /*
   Frees the plugin, after `stop` was `OK` and all other calls into the plugin have returned; the last call into
   the plugin. The library may be freed after it.
   */
  void (*release)(void *context);
} XivMcpPlugin;

/*
 The one function that a plugin's library exports, as `xivmcp_plugin_entry_v1`.

 It checks the host's table and puts the plugin's table into `plugin`, which the host set to NULL. Only then does it
 use the host's functions and start the plugin: what is provided and asked for may be called at once, from other
 threads too, before the entry has returned. Any thread may call the entry.

 `OK`: the plugin runs. `VERSION`, `INVALID` (a NULL, or no name): nothing was done, `plugin` is still NULL. `FAILED`,
 `PANICKED`: the plugin did not start, and has stopped what it started; if `plugin` is not NULL, the host goes on as
 after a `stop` that was `OK`, with `release` last. `KEEP_LOADED`: the plugin did not start, and something of it still
 runs; the host goes on as after a `stop` that was `KEEP_LOADED`. Whatever is not `OK` puts a sentence for the
 developer into `message`, which the host zeroes before and frees after.
 */
typedef int32_t (*XivMcpPluginEntry)(const struct XivMcpHost *host,
                                     const struct XivMcpPlugin **plugin,
                                     struct XivMcpOwned *message);

#endif  /* XIVMCP_H */
