// XIV MCP, as far as one plugin with tools sees it: the gates with their right shapes and replies, calls of tools, and a
// player who answers questions. No policy; the mock host of the SDK has that.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using Dalamud.Plugin.Ipc;
using Fake;

namespace Scenario
{
    // A call of a tool, from its start to its end.
    internal sealed class ToolCall
    {
        internal readonly string Id = Guid.NewGuid().ToString("N");
        internal readonly string Tool;
        internal readonly List<string> Progress = new List<string>();
        internal volatile string Reply; // what Invoke returned
        internal volatile string End; // the reply, or what CompleteCall or FailCall said

        internal ToolCall(string tool)
        {
            Tool = tool;
        }

        internal string[] ProgressLines
        {
            get { lock (Progress) return Progress.ToArray(); }
        }
    }

    internal sealed class XivMcpHost
    {
        private readonly Game game;
        private readonly PluginInterface dalamud;
        private readonly Dictionary<string, ToolCall> calls = new Dictionary<string, ToolCall>();
        private readonly Dictionary<string, string> questions = new Dictionary<string, string>();
        private readonly List<Action> provided = new List<Action>();

        internal XivMcpHost(Game game, string assembly)
        {
            this.game = game;
            dalamud = game.Install("XivMcp", assembly);
        }

        // Names of tools, in the order of their registration.
        internal readonly List<string> Tools = new List<string>();
        internal readonly List<string> Definitions = new List<string>();
        internal readonly List<string> Callers = new List<string>();
        internal readonly List<string> Jobs = new List<string>();
        internal string Dependencies;
        internal volatile string LastQuestion;

        // What the gate RegisterTool answers instead, if it is set.
        internal string RefuseRegistration;

        internal void Load()
        {
            Function("ApiVersion", () => 2);
            Function("IsReady", () => true);
            Function("ListCapabilities", () => Ok("\"capabilities\":[]"));
            Function("RegisterTool", Register);
            Function("UnregisterTool", (owner, name) => { lock (Tools) return Ok("\"removed\":" + (Tools.Remove(name) ? "true" : "false")); });
            Function("UnregisterAll", owner =>
            {
                lock (Tools)
                {
                    var count = Tools.Count;
                    Tools.Clear();
                    return Ok("\"removed\":" + count);
                }
            });
            Function("GetStatus", owner => Ok("\"state\":\"enabled\",\"canRun\":true,\"suspendReason\":null,\"tools\":["
                + string.Join(",", ToolNames().Select(t => "{\"name\":\"" + t + "\",\"mode\":\"allow\",\"own\":false}"))
                + "],\"capabilities\":[{\"id\":\"read_game\",\"mode\":\"allow\"}],\"dependencies\":[]"));
            Function("DeclareDependencies", (owner, json) =>
            {
                Dependencies = json;
                return Ok("\"dependencies\":[]");
            });
            Function("CheckPermission", (owner, capability) => Ok("\"capability\":\"" + capability
                + "\",\"mode\":\"ask\",\"enabled\":true,\"suspended\":false,\"state\":\"enabled\""));
            Function("RequestApproval", Ask);
            Function("GetApproval", Approval);
            Function("CompleteCall", (id, result) => Finish(id, "{\"result\":" + (result.Trim().Length == 0 ? "null" : result) + "}"));
            Function("FailCall", (id, message) => Finish(id, "error: " + message));
            Function("ReportProgress", (id, text) =>
            {
                var call = Find(id);
                if (call == null) return Error("no call " + id + " is running");
                lock (call.Progress) call.Progress.Add(text);
                return Ok("");
            });
            Function("StartJob", (owner, json) =>
            {
                lock (Jobs) Jobs.Add(json);
                return Ok("\"job\":" + Job(json));
            });
            Function("GetJob", id => Ok("\"job\":" + Job(Jobs.Last())));
            Function("ListJobs", owner => Ok("\"jobs\":[" + string.Join(",", Jobs.Select(Job)) + "]"));
            foreach (var control in new[] { "PauseJob", "ResumeJob", "CancelJob" }) Function(control, id => Ok(""));
            Gate<object>("Ready").SendMessage();
        }

        internal void Unload()
        {
            Gate<object>("Disposing").SendMessage();
            foreach (var takeAway in provided) takeAway();
            provided.Clear();
            lock (Tools) Tools.Clear();
        }

        internal string[] ToolNames()
        {
            lock (Tools) return Tools.ToArray();
        }

        // Calls a tool on the framework thread, as XIV MCP does. Waits for the reply, not for the end.
        internal ToolCall Call(string owner, string tool, string arguments)
        {
            var call = new ToolCall(tool);
            lock (calls) calls.Add(call.Id, call);
            game.Framework.RunOnFrameworkThread(() =>
            {
                try
                {
                    var reply = dalamud.GetIpcSubscriber<string, string, string, string>(owner + ".XivMcp.Invoke")
                        .InvokeFunc(call.Id, tool, arguments);
                    if (!Regex.IsMatch(reply, "\"pending\"\\s*:\\s*true")) call.End = reply;
                    call.Reply = reply;
                }
                catch (Exception e)
                {
                    call.Reply = call.End = "exception: " + e.GetType().Name + ": " + e.Message;
                }
            }).Wait();
            return call;
        }

        internal void Cancel(string owner, ToolCall call)
        {
            game.Framework.RunOnFrameworkThread(() =>
                dalamud.GetIpcSubscriber<string, object>(owner + ".XivMcp.Cancel").InvokeAction(call.Id)).Wait();
        }

        // Waits for the call's end, and gives it.
        internal string EndOf(ToolCall call)
        {
            var limit = DateTime.UtcNow.AddSeconds(30);
            while (call.End == null && DateTime.UtcNow < limit) Thread.Sleep(1);
            return call.End ?? "no end within 30 s; Invoke replied " + call.Reply;
        }

        // Waits for a question, and answers it.
        internal string Answer(bool approved)
        {
            var limit = DateTime.UtcNow.AddSeconds(30);
            while (DateTime.UtcNow < limit)
            {
                lock (questions)
                {
                    var open = questions.FirstOrDefault(q => q.Value == "pending").Key;
                    if (open != null)
                    {
                        questions[open] = approved ? "approved" : "denied";
                        return LastQuestion;
                    }
                }
                Thread.Sleep(1);
            }
            return "no question within 30 s";
        }

        private string Register(string owner, string definition)
        {
            var caller = Gate<string, string, string>("RegisterTool").GetContext()?.SourcePlugin.InternalName;
            if (RefuseRegistration != null) return Error(RefuseRegistration);
            if (caller != owner) return Error("the owner " + owner + " is not the caller " + caller);
            var name = Regex.Match(definition, "\"name\"\\s*:\\s*\"([a-z0-9_]+)\"").Groups[1].Value;
            lock (Tools)
            {
                if (!Tools.Contains(name)) Tools.Add(name);
                Definitions.Add(definition);
                Callers.Add(caller);
            }
            return Ok("\"name\":\"" + name + "\",\"enabled\":true,\"awaitingConsent\":false,\"state\":\"enabled\",\"capabilities\":"
                + "[{\"id\":\"read_game\",\"mode\":\"allow\"}]");
        }

        private string Ask(string callId, string request)
        {
            if (Find(callId) == null) return Error("no call " + callId + " is running");
            var id = Guid.NewGuid().ToString("N").Substring(0, 12);
            lock (questions)
            {
                questions.Add(id, "pending");
                LastQuestion = request;
            }
            return Ok("\"approvalId\":\"" + id + "\",\"state\":\"pending\"");
        }

        private string Approval(string id)
        {
            lock (questions)
            {
                string state;
                if (!questions.TryGetValue(id, out state)) return Error("no approval " + id);
                if (state != "pending") questions.Remove(id);
                return Ok("\"approvalId\":\"" + id + "\",\"state\":\"" + state + "\"");
            }
        }

        private string Finish(string id, string end)
        {
            var call = Find(id);
            if (call == null) return Error("no call " + id + " is running");
            lock (calls) calls.Remove(id);
            call.End = end;
            return Ok("\"accepted\":true");
        }

        private ToolCall Find(string id)
        {
            lock (calls)
            {
                ToolCall call;
                return calls.TryGetValue(id, out call) ? call : null;
            }
        }

        // A job that has just started; it never runs.
        private static string Job(string json)
        {
            var name = Regex.Match(json, "^\\{\"name\":\"([^\"]*)\"").Groups[1].Value;
            return "{\"id\":\"0badcafe\",\"name\":\"" + name + " [Hello MCP]\",\"state\":\"running\",\"progress\":\"0/3\","
                + "\"created\":\"2026-01-01T00:00:00Z\",\"updated\":\"2026-01-01T00:00:00Z\"}";
        }

        private static string Ok(string fields)
        {
            return "{\"ok\":true" + (fields.Length > 0 ? "," + fields : "") + "}";
        }

        private static string Error(string sentence)
        {
            return "{\"ok\":false,\"error\":\"" + sentence + "\"}";
        }

        private ICallGateProvider<TRet> Gate<TRet>(string name)
        {
            return dalamud.GetIpcProvider<TRet>("XivMcp." + name);
        }

        private ICallGateProvider<T1, T2, TRet> Gate<T1, T2, TRet>(string name)
        {
            return dalamud.GetIpcProvider<T1, T2, TRet>("XivMcp." + name);
        }

        private void Function<TRet>(string name, Func<TRet> function)
        {
            Gate<TRet>(name).RegisterFunc(function);
            provided.Add(Gate<TRet>(name).UnregisterFunc);
        }

        private void Function(string name, Func<string, string> function)
        {
            var gate = dalamud.GetIpcProvider<string, string>("XivMcp." + name);
            gate.RegisterFunc(function);
            provided.Add(gate.UnregisterFunc);
        }

        private void Function(string name, Func<string, string, string> function)
        {
            Gate<string, string, string>(name).RegisterFunc(function);
            provided.Add(Gate<string, string, string>(name).UnregisterFunc);
        }
    }
}
