// What a plugin gets from Dalamud in its constructor.
using System;
using System.Collections.Generic;
using System.IO;
using Dalamud.Plugin.Ipc;

namespace Dalamud.Plugin
{
    public interface IDalamudPlugin : IDisposable
    {
    }

    public interface IExposedPlugin
    {
        string Name { get; }
        string InternalName { get; }
        bool IsLoaded { get; }
        Version Version { get; }
    }

    public interface IDalamudPluginInterface
    {
        string InternalName { get; }
        FileInfo AssemblyLocation { get; }
        DirectoryInfo ConfigDirectory { get; }
        IEnumerable<IExposedPlugin> InstalledPlugins { get; }

        ICallGateProvider<TRet> GetIpcProvider<TRet>(string name);
        ICallGateSubscriber<TRet> GetIpcSubscriber<TRet>(string name);

        ICallGateProvider<T1, TRet> GetIpcProvider<T1, TRet>(string name);
        ICallGateSubscriber<T1, TRet> GetIpcSubscriber<T1, TRet>(string name);

        ICallGateProvider<T1, T2, TRet> GetIpcProvider<T1, T2, TRet>(string name);
        ICallGateSubscriber<T1, T2, TRet> GetIpcSubscriber<T1, T2, TRet>(string name);

        ICallGateProvider<T1, T2, T3, TRet> GetIpcProvider<T1, T2, T3, TRet>(string name);
        ICallGateSubscriber<T1, T2, T3, TRet> GetIpcSubscriber<T1, T2, T3, TRet>(string name);

        ICallGateProvider<T1, T2, T3, T4, TRet> GetIpcProvider<T1, T2, T3, T4, TRet>(string name);
        ICallGateSubscriber<T1, T2, T3, T4, TRet> GetIpcSubscriber<T1, T2, T3, T4, TRet>(string name);

        ICallGateProvider<T1, T2, T3, T4, T5, TRet> GetIpcProvider<T1, T2, T3, T4, T5, TRet>(string name);
        ICallGateSubscriber<T1, T2, T3, T4, T5, TRet> GetIpcSubscriber<T1, T2, T3, T4, T5, TRet>(string name);

        ICallGateProvider<T1, T2, T3, T4, T5, T6, TRet> GetIpcProvider<T1, T2, T3, T4, T5, T6, TRet>(string name);
        ICallGateSubscriber<T1, T2, T3, T4, T5, T6, TRet> GetIpcSubscriber<T1, T2, T3, T4, T5, T6, TRet>(string name);

        ICallGateProvider<T1, T2, T3, T4, T5, T6, T7, TRet> GetIpcProvider<T1, T2, T3, T4, T5, T6, T7, TRet>(string name);
        ICallGateSubscriber<T1, T2, T3, T4, T5, T6, T7, TRet> GetIpcSubscriber<T1, T2, T3, T4, T5, T6, T7, TRet>(string name);

        ICallGateProvider<T1, T2, T3, T4, T5, T6, T7, T8, TRet> GetIpcProvider<T1, T2, T3, T4, T5, T6, T7, T8, TRet>(string name);
        ICallGateSubscriber<T1, T2, T3, T4, T5, T6, T7, T8, TRet> GetIpcSubscriber<T1, T2, T3, T4, T5, T6, T7, T8, TRet>(string name);
    }
}
