/* Loads a plugin, calls it in every way, stops it, and frees its library; then looks whether the library is
 * really gone from the process, and whether a thread of it is left. All of it happens on a thread of its own, which has
 * ended by then: thread-locals of the library may have destructors that run at the end of a thread.
 *
 * Usage: check LIBRARY [MODE [TIMES [BUSY]]]; BUSY threads keep the machine busy meanwhile; with the mode `tools` the library is that of the plugin with tools, with any other
 * that of the fixture, whose modes they are. */
#include "host.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_MS 60000

typedef struct Round {
  const char *path;
  const char *mode;
  void *library;
} Round;

/* Every type at a limit: what the plugin's Echo gives back is what it got. */
static void check_values(Host *host) {
  static const struct {
    const char *gate;
    uint32_t type;
    uint64_t bits;
  } rows[] = {
      {"Fixture.Echo.bool", XIV_MCP_VALUE_TYPE_BOOL, 1},
      {"Fixture.Echo.sbyte", XIV_MCP_VALUE_TYPE_I8, (uint64_t)INT64_C(-128)},
      {"Fixture.Echo.byte", XIV_MCP_VALUE_TYPE_U8, 255},
      {"Fixture.Echo.short", XIV_MCP_VALUE_TYPE_I16, (uint64_t)INT64_C(-32768)},
      {"Fixture.Echo.ushort", XIV_MCP_VALUE_TYPE_U16, 65535},
      {"Fixture.Echo.int", XIV_MCP_VALUE_TYPE_I32, (uint64_t)INT64_C(-2147483648)},
      {"Fixture.Echo.uint", XIV_MCP_VALUE_TYPE_U32, UINT32_MAX},
      {"Fixture.Echo.long", XIV_MCP_VALUE_TYPE_I64, (uint64_t)INT64_MIN},
      {"Fixture.Echo.ulong", XIV_MCP_VALUE_TYPE_U64, UINT64_MAX},
      {"Fixture.Echo.float", XIV_MCP_VALUE_TYPE_F32, UINT64_C(0x3fc00000)},
      {"Fixture.Echo.double", XIV_MCP_VALUE_TYPE_F64, UINT64_C(0x3ff8000000000000)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    XivMcpValue value = {rows[i].type, 0, rows[i].bits, {NULL, 0}};
    XivMcpReply reply;
    CHECK(host_call(host, rows[i].gate, &value, 1, &reply) == XIV_MCP_STATUS_OK);
    CHECK(reply.value_type == rows[i].type && reply.bits == rows[i].bits);
    reply_free(&reply);
  }
}

static void check_texts(Host *host) {
  size_t megabyte = 1 << 20;
  char *long_text = malloc(megabyte);
  CHECK(long_text != NULL);
  memset(long_text, 'x', megabyte);
  const struct {
    const char *bytes;
    size_t len;
  } texts[] = {{"", 0}, {NULL, 0}, {"a\0b\0", 4}, {"\xe3\x82\xaf\xe3\x83\x9d", 6}, {"\xf0\x9f\x90\xa4", 4}, {long_text, megabyte}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    XivMcpValue value = text_value(texts[i].bytes, texts[i].len);
    XivMcpReply reply;
    CHECK(host_call(host, "Fixture.Echo.string", &value, 1, &reply) == XIV_MCP_STATUS_OK);
    CHECK(reply.value_type == XIV_MCP_VALUE_TYPE_TEXT && reply.text.len == texts[i].len);
    CHECK(texts[i].len == 0 || memcmp(reply.text.ptr, texts[i].bytes, texts[i].len) == 0);
    reply_free(&reply);
  }
  free(long_text);

  XivMcpReply reply;
  XivMcpValue bad = text_value("\xc3\x28", 2);
  CHECK(host_call(host, "Fixture.Echo.string", &bad, 1, &reply) == XIV_MCP_STATUS_BAD_TEXT);
  reply_free(&reply);
}

static void check_failures(Host *host) {
  XivMcpReply reply;
  CHECK(host_call(host, "Fixture.Panic", NULL, 0, &reply) == XIV_MCP_STATUS_PANICKED);
  CHECK(reply.text.len > 0 && strncmp((const char *)reply.text.ptr, "the fixture panics (at ", 23) == 0);
  reply_free(&reply);
  CHECK(strstr(host->log, "panicked at ") != NULL && strstr(host->log, "gates.rs:") != NULL);

  XivMcpValue why = text_value("no", 2);
  CHECK(host_call(host, "Fixture.Fail", &why, 1, &reply) == XIV_MCP_STATUS_FAILED);
  CHECK(reply_is(&reply, "no"));
  CHECK(reply.kind.len == 16 && memcmp(reply.kind.ptr, "FixtureException", 16) == 0);
  reply_free(&reply);

  CHECK(host_call(host, "Fixture.Fail", NULL, 0, &reply) == XIV_MCP_STATUS_LENGTH_MISMATCH);
  CHECK(reply.given == 0 && reply.expected == 1);
  reply_free(&reply);

  XivMcpValue number = {XIV_MCP_VALUE_TYPE_I32, 0, 5, {NULL, 0}};
  CHECK(host_call(host, "Fixture.Fail", &number, 1, &reply) == XIV_MCP_STATUS_TYPE_MISMATCH);
  CHECK(reply.position == 1 && reply.given == XIV_MCP_VALUE_TYPE_I32 && reply.expected == XIV_MCP_VALUE_TYPE_TEXT);
  reply_free(&reply);

  CHECK(host_call(host, "Fixture.WrongType", NULL, 0, &reply) == XIV_MCP_STATUS_TYPE_MISMATCH);
  CHECK(reply.position == 0);
  reply_free(&reply);

  memset(&reply, 0, sizeof reply);
  CHECK(host->plugin->invoke(host->plugin->context, UINT64_C(987654321), NULL, 0, &reply) == XIV_MCP_STATUS_UNKNOWN);
  reply_free(&reply);
}

static void check_calls_out(Host *host) {
  static const struct {
    const char *gate, *answer;
  } rows[] = {
      {"Host.Echo", "Ok(Text(\"x\"))"},
      {"Host.Fails", "Err(Failed { gate: \"Host.Fails\", kind: \"CError\", message: \"as it should\" })"},
      {"Host.Mismatch", "Err(LengthMismatch { gate: \"Host.Mismatch\", given: 1, expected: 3 })"},
      {"Host.BadText",
       "Err(Failed { gate: \"Host.BadText\", kind: \"BadText\", message: \"the text that came back is not UTF-8\" })"},
      {"Host.Nothing", "Err(NotReady { gate: \"Host.Nothing\" })"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    XivMcpValue arguments[2] = {text_value(rows[i].gate, strlen(rows[i].gate)), text_value("x", 1)};
    XivMcpReply reply;
    CHECK(host_call(host, "Fixture.Call", arguments, 2, &reply) == XIV_MCP_STATUS_OK);
    CHECK(reply_is(&reply, rows[i].answer));
    reply_free(&reply);
  }
}

/* A call from another thread, which waits for the framework thread. */
static void *call_on_framework(void *argument) {
  Host *host = argument;
  XivMcpReply reply;
  CHECK(host_call(host, "Fixture.OnFramework", NULL, 0, &reply) == XIV_MCP_STATUS_OK);
  CHECK(reply_is(&reply, "ran on it"));
  reply_free(&reply);
  return NULL;
}

static void check_threads(Host *host) {
  pthread_t caller;
  CHECK(pthread_create(&caller, NULL, call_on_framework, host) == 0);
  host_wait_for_closure(host);
  host_frame(host);
  pthread_join(caller, NULL);

  int before = host->messages;
  CHECK(host_act(host, "Fixture.Later", NULL, NULL) == XIV_MCP_STATUS_OK);
  CHECK(host->messages == before);
  host_frame(host);
  CHECK(host->messages == before + 1 && strcmp(host->last_message, "Fixture.Ran") == 0);
  CHECK(host_act(host, "Fixture.LaterPanics", NULL, NULL) == XIV_MCP_STATUS_OK);
  host_frame(host);
  CHECK(strstr(host->log, "the closure panics") != NULL);

  CHECK(host_act(host, "Fixture.Progress", NULL, NULL) == XIV_MCP_STATUS_OK);
  host_wait_for_messages(host, before + 4);
}

static void check_services(Host *host) {
  const XivMcpPlugin *plugin = host->plugin;
  CHECK(host_act(host, "Fixture.Log", "tracing", "from tracing") == XIV_MCP_STATUS_OK);
  CHECK(strstr(host->log, "from tracing number=7") != NULL);
  CHECK(host_act(host, "Fixture.Print", "hello", NULL) == XIV_MCP_STATUS_OK);
  const Entry *command = host_find(host, COMMAND, "/fixture");
  CHECK(command != NULL);
  CHECK(plugin->command(plugin->context, command->id, text("/fixture"), text("a b")) == XIV_MCP_STATUS_OK);
  CHECK(plugin->command(plugin->context, command->id, text("/fixture"), text("panic")) == XIV_MCP_STATUS_PANICKED);
  CHECK(strcmp(host->chat, "hello\n/fixture: a b\n") == 0);

  const Entry *listener = host_find(host, SESSION, "session");
  CHECK(listener != NULL);
  XivMcpSession session = {132, 54};
  int before = host->messages;
  CHECK(plugin->session_event(plugin->context, listener->id, XIV_MCP_SESSION_CHANGE_LOGIN, &session) == 0);
  CHECK(plugin->session_event(plugin->context, listener->id, XIV_MCP_SESSION_CHANGE_LOGOUT, NULL) == 0);
  CHECK(host->messages == before + 2);

  CHECK(host_act(host, "Fixture.CountUpdates", NULL, NULL) == XIV_MCP_STATUS_OK);
  for (int i = 0; i < 3; i++) host_frame(host); /* the third panics */
  XivMcpReply reply;
  CHECK(host_call(host, "Fixture.Updates", NULL, 0, &reply) == XIV_MCP_STATUS_OK && reply.bits == 3);
  reply_free(&reply);

  XivMcpValue arguments[2] = {text_value("echo", 4), text_value("{}", 2)};
  CHECK(host_call(host, "Fixture.Service", arguments, 2, &reply) == XIV_MCP_STATUS_OK && reply_is(&reply, "Ok(\"{}\")"));
  reply_free(&reply);
}

static void invoke_tool(Host *host, const char *tool, const char *arguments, const char *answer) {
  const char *id = "0123456789abcdef0123456789abcdef";
  XivMcpValue values[3] = {text_value(id, 32), text_value(tool, strlen(tool)), text_value(arguments, strlen(arguments))};
  XivMcpReply reply;
  CHECK(host_call(host, "Fixture.XivMcp.Invoke", values, 3, &reply) == XIV_MCP_STATUS_OK);
  CHECK(reply.text.len >= strlen(answer) && memcmp(reply.text.ptr, answer, strlen(answer)) == 0);
  reply_free(&reply);
}

/* A whole client with typed tools: its statics and threads must go too. */
static void check_tools(Host *host) {
  invoke_tool(host, "tools_add", "{\"left\":2,\"right\":3}", "{\"result\":{\"theSum\":5}}");
  invoke_tool(host, "tools_add", "{\"left\":\"two\"}", "{\"error\":");
  invoke_tool(host, "tools_panic", "{}", "{\"error\":");
  invoke_tool(host, "tools_nobody", "{}", "{\"error\":");
  static const char *const long_running[] = {"tools_thread", "tools_frames", "tools_panic_later", "tools_farm"};
  for (int i = 0; i < 4; i++) {
    invoke_tool(host, long_running[i], "{\"monsters\":2}", "{\"pending\":true}");
    while (host_completed(host) < i + 1) {
      host_frame(host);
      usleep(1000);
    }
  }
  CHECK(strstr(host->chat, "farming ends after 2") != NULL);
  /* This one is still running when the plugin is stopped. */
  invoke_tool(host, "tools_farm", "{\"monsters\":1000000}", "{\"pending\":true}");
}

static void *play(void *argument) {
  Round *round = argument;
  Host host;
  host_open(&host, round->mode);
  round->library = dlopen(round->path, RTLD_NOW | RTLD_LOCAL);
  if (round->library == NULL) fail(__FILE__, __LINE__, dlerror());
  XivMcpPluginEntry entry;
  *(void **)&entry = dlsym(round->library, XIV_MCP_ENTRY_SYMBOL);
  CHECK(entry != NULL);

  XivMcpOwned message;
  memset(&message, 0, sizeof message);
  XivMcpHost newer = host.table;
  newer.version = 2;
  CHECK(entry(&newer, &host.plugin, &message) == XIV_MCP_STATUS_VERSION && message.len > 0);
  message.free(message.owner, message.ptr, message.len);
  CHECK(host.plugin == NULL);

  memset(&message, 0, sizeof message);
  int32_t started = entry(&host.table, &host.plugin, &message);
  CHECK(host.plugin != NULL && host.plugin->version == XIV_MCP_VERSION && host.plugin->size >= sizeof(XivMcpPlugin));
  if (started == XIV_MCP_STATUS_OK && strcmp(round->mode, "tools") == 0) {
    check_tools(&host);
    XivMcpReply reply;
    memset(&reply, 0, sizeof reply);
    CHECK(host.plugin->stop(host.plugin->context, LIMIT_MS, &reply) == XIV_MCP_STATUS_OK);
    reply_free(&reply);
    const char *ends = strstr(host.chat, "farming ends");
    CHECK(ends != NULL && strstr(ends + 1, "farming ends") != NULL);
  } else if (started == XIV_MCP_STATUS_OK) {
    check_values(&host);
    check_texts(&host);
    check_failures(&host);
    check_calls_out(&host);
    check_threads(&host);
    check_services(&host);

    /* It is stopped while a call is inside that waits for this very thread. */
    pthread_t caller;
    CHECK(pthread_create(&caller, NULL, call_on_framework, &host) == 0);
    host_wait_for_closure(&host);
    XivMcpReply reply;
    memset(&reply, 0, sizeof reply);
    CHECK(host.plugin->stop(host.plugin->context, LIMIT_MS, &reply) == XIV_MCP_STATUS_OK);
    reply_free(&reply);
    pthread_join(caller, NULL);
  } else {
    CHECK(strcmp(round->mode, "fails") == 0 && started == XIV_MCP_STATUS_FAILED);
    static const char sentence[] = "the fixture was told to fail";
    CHECK(message.len == strlen(sentence) && memcmp(message.ptr, sentence, message.len) == 0);
    message.free(message.owner, message.ptr, message.len);
  }
  host.plugin->release(host.plugin->context);
  host_close(&host);
  return NULL;
}

/* Whether the library is still mapped into this process. */
static int is_mapped(const char *path) {
  const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') : path;
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps != NULL);
  char line[4096];
  int found = 0;
  while (fgets(line, sizeof line, maps) != NULL) found |= strstr(line, name) != NULL;
  fclose(maps);
  return found;
}

static int threads(void) {
  DIR *tasks = opendir("/proc/self/task");
  CHECK(tasks != NULL);
  int count = 0;
  for (struct dirent *entry = readdir(tasks); entry != NULL; entry = readdir(tasks)) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

static volatile int stop_being_busy;

static void *be_busy(void *argument) {
  while (!stop_being_busy) (void)argument;
  return NULL;
}

int main(int argc, char **argv) {
  CHECK(argc >= 2);
  Round round = {argv[1], argc > 2 ? argv[2] : "", NULL};
  int times = argc > 3 ? atoi(argv[3]) : 1;
  int busy = argc > 4 ? atoi(argv[4]) : 0;
  pthread_t busy_threads[16];
  CHECK(busy <= 16);
  for (int i = 0; i < busy; i++) CHECK(pthread_create(&busy_threads[i], NULL, be_busy, NULL) == 0);
  for (int i = 0; i < times; i++) {
    pthread_t player;
    CHECK(pthread_create(&player, NULL, play, &round) == 0);
    pthread_join(player, NULL);
    for (int patience = 0; threads() != busy + 1 && patience < 5000; patience++) usleep(1000);
    CHECK(threads() == busy + 1);
    CHECK(is_mapped(round.path));
    dlclose(round.library);
    CHECK(!is_mapped(round.path));
  }
  stop_being_busy = 1;
  for (int i = 0; i < busy; i++) pthread_join(busy_threads[i], NULL);
  printf("ok: %d times, mode '%s', and the library was unmapped each time\n", times, round.mode);
  return 0;
}
