#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
  exit(2);
}

XivMcpSlice text(const char *text) {
  XivMcpSlice slice = {(const uint8_t *)text, strlen(text)};
  return slice;
}

XivMcpValue text_value(const char *bytes, size_t len) {
  XivMcpValue value = {XIV_MCP_VALUE_TYPE_TEXT, 0, 0, {(const uint8_t *)bytes, len}};
  return value;
}

/* Hands a copy of `text` to the plugin, which gives it back through `give_back`. */
static void give_back(void *owner, uint8_t *ptr, size_t len) {
  CHECK(owner == ptr);
  (void)len;
  free(owner);
}

static void hand_over(XivMcpOwned *owned, const uint8_t *bytes, size_t len) {
  uint8_t *copy = malloc(len + 1);
  CHECK(copy != NULL);
  if (len > 0) memcpy(copy, bytes, len);
  owned->ptr = copy;
  owned->len = len;
  owned->owner = copy;
  owned->free = give_back;
}

static void owned_free(XivMcpOwned *owned) {
  if (owned->free != NULL) owned->free(owned->owner, owned->ptr, owned->len);
  memset(owned, 0, sizeof *owned);
}

void reply_free(XivMcpReply *reply) {
  owned_free(&reply->text);
  owned_free(&reply->kind);
}

int reply_is(const XivMcpReply *reply, const char *text) {
  return reply->text.len == strlen(text) && (reply->text.len == 0 || memcmp(reply->text.ptr, text, reply->text.len) == 0);
}

static int slice_is(XivMcpSlice slice, const char *text) {
  return slice.len == strlen(text) && memcmp(slice.ptr, text, slice.len) == 0;
}

static void append(char *buffer, size_t room, XivMcpSlice line) {
  size_t used = strlen(buffer);
  CHECK(used + line.len + 2 < room);
  if (line.len > 0) memcpy(buffer + used, line.ptr, line.len);
  strcpy(buffer + used + line.len, "\n");
}

const Entry *host_find(Host *host, int kind, const char *name) {
  const Entry *found = NULL;
  pthread_mutex_lock(&host->lock);
  for (size_t i = 0; i < host->entry_count; i++)
    if ((int)host->entries[i].kind == kind && strcmp(host->entries[i].name, name) == 0) found = &host->entries[i];
  pthread_mutex_unlock(&host->lock);
  return found;
}

static int32_t keep(Host *host, int kind, XivMcpSlice name, const uint32_t *parameters, uint32_t count, uint64_t id) {
  CHECK(count <= XIV_MCP_MAX_ARGUMENTS);
  pthread_mutex_lock(&host->lock);
  CHECK(host->entry_count < MOST);
  Entry *entry = &host->entries[host->entry_count++];
  memset(entry, 0, sizeof *entry);
  entry->kind = kind;
  entry->id = id;
  entry->count = count;
  CHECK(name.len < sizeof entry->name);
  if (name.len > 0) memcpy(entry->name, name.ptr, name.len);
  for (uint32_t i = 0; i < count; i++) entry->parameters[i] = parameters[i];
  pthread_mutex_unlock(&host->lock);
  return XIV_MCP_STATUS_OK;
}

static int starts_with(XivMcpSlice slice, const char *text) {
  return slice.len >= strlen(text) && memcmp(slice.ptr, text, strlen(text)) == 0;
}

/* XIV MCP, as far as a client must believe that it is there. */
static int32_t call_xivmcp(Host *host, XivMcpSlice gate, uint32_t returns, XivMcpReply *reply) {
  reply->value_type = returns;
  if (returns == XIV_MCP_VALUE_TYPE_I32) {
    reply->bits = 2;
    return XIV_MCP_STATUS_OK;
  }
  if (returns == XIV_MCP_VALUE_TYPE_BOOL) {
    reply->bits = 1;
    return XIV_MCP_STATUS_OK;
  }
  const char *answer = "{\"ok\":true}";
  if (slice_is(gate, "XivMcp.RegisterTool"))
    answer = "{\"ok\":true,\"name\":\"x\",\"enabled\":true,\"awaitingConsent\":false,\"state\":\"enabled\",\"capabilities\":[]}";
  if (slice_is(gate, "XivMcp.UnregisterAll")) answer = "{\"ok\":true,\"removed\":0}";
  if (slice_is(gate, "XivMcp.CompleteCall") || slice_is(gate, "XivMcp.FailCall")) {
    answer = "{\"ok\":true,\"accepted\":true}";
    pthread_mutex_lock(&host->lock);
    host->completed++;
    pthread_mutex_unlock(&host->lock);
  }
  hand_over(&reply->text, (const uint8_t *)answer, strlen(answer));
  return XIV_MCP_STATUS_OK;
}

/* The host's own gates: Host.Echo gives its argument back, Host.Fails fails, Host.Mismatch fails before that. */
static int32_t call_function(void *context, XivMcpSlice gate, const XivMcpValue *arguments, uint32_t count,
                             uint32_t returns, XivMcpReply *reply) {
  if (starts_with(gate, "XivMcp.")) return call_xivmcp(context, gate, returns, reply);
  CHECK(returns == XIV_MCP_VALUE_TYPE_TEXT);
  if (slice_is(gate, "Host.Echo")) {
    CHECK(count == 1 && arguments[0].value_type == XIV_MCP_VALUE_TYPE_TEXT);
    reply->value_type = XIV_MCP_VALUE_TYPE_TEXT;
    hand_over(&reply->text, arguments[0].text.ptr, arguments[0].text.len);
    return XIV_MCP_STATUS_OK;
  }
  if (slice_is(gate, "Host.Fails")) {
    hand_over(&reply->kind, (const uint8_t *)"CError", 6);
    hand_over(&reply->text, (const uint8_t *)"as it should", 12);
    return XIV_MCP_STATUS_FAILED;
  }
  if (slice_is(gate, "Host.Mismatch")) {
    reply->given = count;
    reply->expected = 3;
    return XIV_MCP_STATUS_LENGTH_MISMATCH;
  }
  if (slice_is(gate, "Host.BadText")) {
    reply->value_type = XIV_MCP_VALUE_TYPE_TEXT;
    hand_over(&reply->text, (const uint8_t *)"\xff\xfe", 2);
    return XIV_MCP_STATUS_OK;
  }
  return XIV_MCP_STATUS_NOT_READY;
}

static int32_t call_action(void *context, XivMcpSlice gate, const XivMcpValue *arguments, uint32_t count,
                           XivMcpReply *reply) {
  (void)context, (void)gate, (void)arguments, (void)count, (void)reply;
  return XIV_MCP_STATUS_NOT_READY;
}

static int32_t send_message(void *context, XivMcpSlice gate, const XivMcpValue *arguments, uint32_t count,
                            XivMcpReply *reply) {
  Host *host = context;
  (void)arguments, (void)count, (void)reply;
  pthread_mutex_lock(&host->lock);
  host->messages++;
  CHECK(gate.len < sizeof host->last_message);
  memset(host->last_message, 0, sizeof host->last_message);
  memcpy(host->last_message, gate.ptr, gate.len);
  pthread_cond_broadcast(&host->changed);
  pthread_mutex_unlock(&host->lock);
  return XIV_MCP_STATUS_OK;
}

static int32_t provide_function(void *context, XivMcpSlice gate, const uint32_t *parameters, uint32_t count,
                                uint32_t returns, uint64_t id, XivMcpReply *reply) {
  (void)returns, (void)reply;
  return keep(context, FUNCTION, gate, parameters, count, id);
}

static int32_t provide_action(void *context, XivMcpSlice gate, const uint32_t *parameters, uint32_t count, uint64_t id,
                              XivMcpReply *reply) {
  (void)reply;
  return keep(context, ACTION, gate, parameters, count, id);
}

static int32_t subscribe(void *context, XivMcpSlice gate, const uint32_t *parameters, uint32_t count, uint64_t id,
                         XivMcpReply *reply) {
  (void)reply;
  return keep(context, SUBSCRIBER, gate, parameters, count, id);
}

static int32_t remove_id(void *context, uint64_t id) {
  Host *host = context;
  pthread_mutex_lock(&host->lock);
  for (size_t i = 0; i < host->entry_count; i++)
    if (host->entries[i].id == id) {
      host->entries[i] = host->entries[--host->entry_count];
      break;
    }
  pthread_mutex_unlock(&host->lock);
  return XIV_MCP_STATUS_OK;
}

static int32_t run_on_next_update(void *context, uint64_t id) {
  Host *host = context;
  pthread_mutex_lock(&host->lock);
  CHECK(host->closure_count < MOST);
  host->closures[host->closure_count++] = id;
  pthread_cond_broadcast(&host->changed);
  pthread_mutex_unlock(&host->lock);
  return XIV_MCP_STATUS_OK;
}

static int32_t is_framework_thread(void *context) {
  Host *host = context;
  return pthread_equal(pthread_self(), host->framework_thread) ? 1 : 0;
}

static void log_line(void *context, int32_t level, XivMcpSlice line) {
  Host *host = context;
  CHECK(level >= XIV_MCP_LOG_SEVERITY_VERBOSE && level <= XIV_MCP_LOG_SEVERITY_ERROR);
  pthread_mutex_lock(&host->lock);
  append(host->log, sizeof host->log, line);
  pthread_mutex_unlock(&host->lock);
}

static int32_t print_chat(void *context, int32_t is_error, XivMcpSlice line) {
  Host *host = context;
  (void)is_error;
  pthread_mutex_lock(&host->lock);
  append(host->chat, sizeof host->chat, line);
  pthread_mutex_unlock(&host->lock);
  return XIV_MCP_STATUS_OK;
}

static int32_t add_command(void *context, XivMcpSlice command, XivMcpSlice help, uint64_t id, XivMcpReply *reply) {
  (void)reply;
  CHECK(help.len > 0);
  return keep(context, COMMAND, command, NULL, 0, id);
}

static int32_t on_update(void *context, uint64_t id) { return keep(context, UPDATE, text("update"), NULL, 0, id); }

static int32_t on_session(void *context, uint64_t id) { return keep(context, SESSION, text("session"), NULL, 0, id); }

static int32_t session(void *context, XivMcpSession *session) {
  (void)context;
  session->territory = 132;
  session->world = 54;
  return 1;
}

static int32_t call_service(void *context, XivMcpSlice name, XivMcpSlice json, XivMcpReply *reply) {
  Host *host = context;
  if (slice_is(name, "mode")) {
    reply->value_type = XIV_MCP_VALUE_TYPE_TEXT;
    hand_over(&reply->text, (const uint8_t *)host->mode, strlen(host->mode));
    return XIV_MCP_STATUS_OK;
  }
  if (slice_is(name, "echo")) {
    reply->value_type = XIV_MCP_VALUE_TYPE_TEXT;
    hand_over(&reply->text, json.ptr, json.len);
    return XIV_MCP_STATUS_OK;
  }
  return XIV_MCP_STATUS_UNKNOWN;
}

void host_open(Host *host, const char *mode) {
  memset(host, 0, sizeof *host);
  host->mode = mode;
  pthread_mutex_init(&host->lock, NULL);
  pthread_cond_init(&host->changed, NULL);
  host->framework_thread = pthread_self();
  XivMcpHost table = {
      sizeof table,      XIV_MCP_VERSION,    host,        text("Fixture"), text("the C host"), call_function,
      call_action,       send_message,       provide_function, provide_action, subscribe, remove_id,
      run_on_next_update, is_framework_thread, log_line,   print_chat,      add_command,        on_update,
      on_session,        session,            call_service,
  };
  host->table = table;
}

void host_close(Host *host) {
  CHECK(host->entry_count == 0);
  pthread_cond_destroy(&host->changed);
  pthread_mutex_destroy(&host->lock);
}

int32_t host_call(Host *host, const char *name, const XivMcpValue *arguments, uint32_t count, XivMcpReply *reply) {
  memset(reply, 0, sizeof *reply);
  const Entry *entry = host_find(host, FUNCTION, name);
  if (entry == NULL) entry = host_find(host, ACTION, name);
  if (entry == NULL) return XIV_MCP_STATUS_NOT_READY;
  return host->plugin->invoke(host->plugin->context, entry->id, arguments, count, reply);
}

int32_t host_act(Host *host, const char *name, const char *first, const char *second) {
  XivMcpValue arguments[2];
  uint32_t count = 0;
  if (first != NULL) arguments[count++] = text_value(first, strlen(first));
  if (second != NULL) arguments[count++] = text_value(second, strlen(second));
  XivMcpReply reply;
  int32_t status = host_call(host, name, arguments, count, &reply);
  reply_free(&reply);
  return status;
}

void host_frame(Host *host) {
  uint64_t closures[MOST];
  pthread_mutex_lock(&host->lock);
  size_t count = host->closure_count;
  memcpy(closures, host->closures, sizeof closures);
  host->closure_count = 0;
  pthread_mutex_unlock(&host->lock);
  for (size_t i = 0; i < count; i++) host->plugin->run_closure(host->plugin->context, closures[i], 0);
  const Entry *update = host_find(host, UPDATE, "update");
  if (update != NULL) host->plugin->update(host->plugin->context, update->id);
}

void host_wait_for_closure(Host *host) {
  pthread_mutex_lock(&host->lock);
  while (host->closure_count == 0) pthread_cond_wait(&host->changed, &host->lock);
  pthread_mutex_unlock(&host->lock);
}

void host_wait_for_messages(Host *host, int messages) {
  pthread_mutex_lock(&host->lock);
  while (host->messages < messages) pthread_cond_wait(&host->changed, &host->lock);
  pthread_mutex_unlock(&host->lock);
}

int host_completed(Host *host) {
  pthread_mutex_lock(&host->lock);
  int completed = host->completed;
  pthread_mutex_unlock(&host->lock);
  return completed;
}
