import puppeteer, { type Browser } from 'puppeteer-core';
import type { ChromiumBinary } from './chromium-binary.ts';
import { chromiumEnvironment } from './chromium-environment.ts';
import { makeProfileFolder, removeProfileFolder } from './profile-folder.ts';
import type { WorkerSettings } from './settings.ts';

/** A started browser and the id of its process group. */
export interface LaunchedBrowser {
  browser: Browser;
  groupId: number;
}

const LAUNCH_TIMEOUT_MS = 30_000;

/** Flags that keep the browser quiet in a closed network, and its traffic inside the proxy. */
export function chromiumFlags(settings: WorkerSettings, proxyUrl: string, isRoot: boolean): string[] {
  const flags = [
    `--proxy-server=${proxyUrl}`,
    // Without this Chromium goes past the proxy for loopback and link-local names.
    '--proxy-bypass-list=<-loopback>',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-sync',
    '--no-first-run',
    '--no-pings',
    '--no-default-browser-check',
    '--mute-audio',
    '--disable-dev-shm-usage',
    `--js-flags=--max-old-space-size=${settings.maxPageMemory}`,
  ];
  if (settings.sandbox === 'off' || (settings.sandbox === 'auto' && isRoot)) flags.push('--no-sandbox');
  return flags;
}

/**
 * Starts Chromium headless, talking over a pipe: it ends when this process dies, however it dies. Its processes are a
 * group of their own. Throws when it does not start within 30 s.
 */
export async function launchBrowser(
  binary: ChromiumBinary,
  settings: WorkerSettings,
  proxyUrl: string,
): Promise<LaunchedBrowser> {
  const profile = makeProfileFolder();
  try {
    const browser = await puppeteer.launch({
      executablePath: binary.path,
      headless: 'shell',
      pipe: true,
      args: chromiumFlags(settings, proxyUrl, process.getuid?.() === 0),
      env: chromiumEnvironment(process.env, binary.env),
      userDataDir: profile,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: LAUNCH_TIMEOUT_MS,
      protocolTimeout: settings.renderTimeout + 30_000,
      defaultViewport: null,
    });
    const child = browser.process();
    if (child?.pid === undefined) throw new Error('the browser has no process');
    child.once('exit', () => removeProfileFolder(profile));
    return { browser, groupId: child.pid };
  } catch (error) {
    removeProfileFolder(profile);
    throw error;
  }
}
