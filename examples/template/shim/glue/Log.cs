// Dalamud's log. Text goes there as a value: braces in it would be read as a template.
namespace XivMcp.Shim
{
    internal static class Log
    {
        internal static void Write(LogSeverity level, string text)
        {
            switch (level)
            {
                case LogSeverity.Verbose:
                    Plugin.PluginLog.Verbose("{0}", text);
                    break;
                case LogSeverity.Debug:
                    Plugin.PluginLog.Debug("{0}", text);
                    break;
                case LogSeverity.Information:
                    Plugin.PluginLog.Information("{0}", text);
                    break;
                case LogSeverity.Warning:
                    Plugin.PluginLog.Warning("{0}", text);
                    break;
                default:
                    Plugin.PluginLog.Error("{0}", text);
                    break;
            }
        }
    }
}
