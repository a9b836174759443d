import { PrerenderError } from '../errors.ts';
import type { WorkerSettings } from './settings.ts';

/** Size of a device's viewport in CSS pixels, and its pixel ratio. */
export interface DeviceViewport {
  width: number;
  height: number;
  scale: number;
}

/** How a device type is rendered. */
export interface DeviceProfile {
  name: string;
  viewport: DeviceViewport;
  userAgent: string;
  mobile: boolean;
}

/** `412x915@2.6` → width, height, scale. Throws CONFIG_INVALID naming the option. */
export function parseDeviceViewport(option: string, value: string): DeviceViewport {
  const match = /^(\d{2,5})x(\d{2,5})(?:@(\d+(?:\.\d+)?))?$/.exec(value);
  if (!match)
    throw new PrerenderError('CONFIG_INVALID', {
      reason: `${option}: ${JSON.stringify(value)} is not WIDTHxHEIGHT[@SCALE], like 412x915@2.6`,
    });
  return { width: Number(match[1]), height: Number(match[2]), scale: Number(match[3] ?? 1) };
}

/** The profiles by device type; `{chrome}` and `{version}` of the user agents are filled in. */
export function deviceProfiles(
  settings: WorkerSettings,
  versions: { chrome: string; worker: string },
): ReadonlyMap<string, DeviceProfile> {
  const fill = (agent: string): string =>
    agent.replaceAll('{chrome}', versions.chrome).replaceAll('{version}', versions.worker);
  const desktop: DeviceProfile = {
    name: 'desktop',
    viewport: parseDeviceViewport('desktopViewport', settings.desktopViewport),
    userAgent: fill(settings.desktopUserAgent),
    mobile: false,
  };
  const mobile: DeviceProfile = {
    name: 'mobile',
    viewport: parseDeviceViewport('mobileViewport', settings.mobileViewport),
    userAgent: fill(settings.mobileUserAgent),
    mobile: true,
  };
  return new Map([
    [desktop.name, desktop],
    [mobile.name, mobile],
  ]);
}
