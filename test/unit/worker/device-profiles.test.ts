import { describe, expect, it } from 'vitest';
import { deviceProfiles } from '../../../src/worker/device-profiles.ts';
import { defaultSettings } from '../../../src/worker/settings.ts';

describe('device profiles', () => {
  it('UA-05: carry the product token and no crawler name, and the version of the browser that runs', () => {
    const profiles = deviceProfiles(defaultSettings(), { chrome: '147', worker: '1.2.3' });
    expect([...profiles.keys()]).toEqual(['desktop', 'mobile']);
    for (const { userAgent } of profiles.values()) {
      expect(userAgent).toMatch(/ Chrome\/147\.0\.0\.0 .*HarperPrerender\/1\.2\.3$/);
      expect(userAgent).not.toMatch(/bot|crawl|spider|headless/i);
    }
    expect(profiles.get('mobile')).toMatchObject({ mobile: true, viewport: { width: 412, height: 915, scale: 2.6 } });
    expect(profiles.get('desktop')).toMatchObject({ mobile: false, viewport: { scale: 1 } });
  });
});
