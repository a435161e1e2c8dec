// Dalamud's services, only as far as the shim touches them, and the game data behind the player's world.
using System;
using System.Threading.Tasks;
using Dalamud.Game.Command;
using Lumina.Excel;
using Lumina.Excel.Sheets;

namespace Dalamud.IoC
{
    [AttributeUsage(AttributeTargets.Property)]
    public sealed class PluginServiceAttribute : Attribute
    {
    }
}

namespace Lumina.Excel
{
    public struct RowRef<T>
    {
        public RowRef(uint rowId)
        {
            RowId = rowId;
        }

        public uint RowId { get; }
    }
}

namespace Lumina.Excel.Sheets
{
    public struct World
    {
    }
}

namespace Dalamud.Game.Command
{
    public delegate void HandlerDelegate(string command, string arguments);

    public sealed class CommandInfo
    {
        public CommandInfo(HandlerDelegate handler)
        {
            Handler = handler;
        }

        public HandlerDelegate Handler { get; }
        public string HelpMessage { get; set; }
    }
}

namespace Dalamud.Plugin.Services
{
    public delegate void OnUpdateDelegate(IFramework framework);

    public delegate void LogoutDelegate(int type, int code);

    public interface IFramework
    {
        event OnUpdateDelegate Update;
        bool IsInFrameworkUpdateThread { get; }
        bool IsFrameworkUnloading { get; }
        Task RunOnFrameworkThread(Action action);
        Task<T> RunOnFrameworkThread<T>(Func<T> func);
    }

    public interface IPluginLog
    {
        void Fatal(string template, params object[] values);
        void Error(string template, params object[] values);
        void Warning(string template, params object[] values);
        void Information(string template, params object[] values);
        void Debug(string template, params object[] values);
        void Verbose(string template, params object[] values);
    }

    public interface IChatGui
    {
        void Print(string message, string messageTag = null, ushort? tagColor = null);
        void PrintError(string message, string messageTag = null, ushort? tagColor = null);
    }

    public interface ICommandManager
    {
        bool AddHandler(string command, CommandInfo info);
        bool RemoveHandler(string command);
    }

    public interface IClientState
    {
        event Action Login;
        event LogoutDelegate Logout;
        event Action<uint> TerritoryChanged;
        uint TerritoryType { get; }
        bool IsLoggedIn { get; }
    }

    public interface IPlayerState
    {
        bool IsLoaded { get; }
        string CharacterName { get; }
        ulong ContentId { get; }
        RowRef<World> CurrentWorld { get; }
    }
}
