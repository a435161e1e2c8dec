/* A small host in C, written from xivmcp.h alone: gates that only the plugin and the check itself use, a framework
 * thread that the check plays, and services that record. */
#ifndef C_HOST_H
#define C_HOST_H

#include <pthread.h>
#include "xivmcp.h"

#define MOST 128

/* Something that the plugin provided, subscribed to, added or asked for. */
typedef struct Entry {
  enum { FUNCTION, ACTION, SUBSCRIBER, COMMAND, UPDATE, SESSION } kind;
  char name[64];
  uint64_t id;
  uint32_t parameters[XIV_MCP_MAX_ARGUMENTS];
  uint32_t count;
} Entry;

typedef struct Host {
  XivMcpHost table;
  const XivMcpPlugin *plugin;
  const char *mode;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t framework_thread;
  Entry entries[MOST];
  size_t entry_count;
  uint64_t closures[MOST];
  size_t closure_count;
  int messages;          /* sent by the plugin */
  char last_message[64]; /* the gate of the last one */
  int completed;         /* calls that the plugin ended through XIV MCP's gates */
  char log[1 << 16];     /* all lines */
  char chat[1024];
} Host;

/* Prints what went wrong, and ends the process. */
void fail(const char *file, int line, const char *what);
#define CHECK(condition) ((condition) ? (void)0 : fail(__FILE__, __LINE__, #condition))

void host_open(Host *host, const char *mode);
void host_close(Host *host);

XivMcpSlice text(const char *text);
XivMcpValue text_value(const char *bytes, size_t len);
void reply_free(XivMcpReply *reply);
int reply_is(const XivMcpReply *reply, const char *text);

/* Calls what the plugin provides under `name`, as another plugin would. The reply is zeroed first. */
int32_t host_call(Host *host, const char *name, const XivMcpValue *arguments, uint32_t count, XivMcpReply *reply);
/* Like host_call, with texts, and without a look at the reply. */
int32_t host_act(Host *host, const char *name, const char *first, const char *second);
/* One frame: the closures that wait, then the update handlers. */
void host_frame(Host *host);
void host_wait_for_closure(Host *host);
void host_wait_for_messages(Host *host, int messages);
int host_completed(Host *host);
const Entry *host_find(Host *host, int kind, const char *name);

#endif
