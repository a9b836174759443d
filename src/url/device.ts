/** What a request says about its device. */
export interface DeviceHints {
  /** Value of the configured device header. */
  readonly header?: string | undefined;
  /** First path segment, where ingress takes the device from there. */
  readonly pathSegment?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** Name of the device that a smartphone's user agent gets, when it is configured. */
export const MOBILE_DEVICE = 'mobile';
/** Name of the device that a tablet's user agent gets, when it is configured. */
export const TABLET_DEVICE = 'tablet';
/** The device of a service that configures none. */
export const FALLBACK_DEVICE = 'desktop';

/** Longer user agents are judged by their head. */
const USER_AGENT_LIMIT = 1_024;
const SMARTPHONE = /\bMobile\b|\biP(?:hone|od)\b|\bIEMobile\b|\bWindows Phone\b|\bOpera Mini\b|\bBlackBerry/i;
const TABLET = /\biPad\b|\bTablet\b/i;
const ANDROID = /\bAndroid\b/i;

/**
 * The configured device that a request is for: header, then path segment, each only if it names one (in any case), then the user
 * agent; anything unknown gets the first of `devices`. Answers a member of `devices` always (`desktop` when it is empty).
 */
export function resolveDevice(hints: DeviceHints, devices: readonly string[]): string {
  return (
    namedDevice(hints.header, devices) ??
    namedDevice(hints.pathSegment, devices) ??
    namedDevice(deviceOfUserAgent(hints.userAgent ?? ''), devices) ??
    devices[0] ??
    FALLBACK_DEVICE
  );
}

/** The configured device that `value` names, in any case; undefined when it names none. */
export function namedDevice(value: string | undefined, devices: readonly string[]): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (devices.includes(value)) return value;
  const wanted = value.trim().toLowerCase();
  return devices.find((device) => device.toLowerCase() === wanted);
}

function deviceOfUserAgent(userAgent: string): string | undefined {
  const head = userAgent.length > USER_AGENT_LIMIT ? userAgent.slice(0, USER_AGENT_LIMIT) : userAgent;
  // A tablet may say `Mobile` too, so it is asked first.
  if (TABLET.test(head)) return TABLET_DEVICE;
  if (SMARTPHONE.test(head)) return MOBILE_DEVICE;
  return ANDROID.test(head) ? TABLET_DEVICE : undefined;
}
