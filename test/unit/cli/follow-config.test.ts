import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigReport } from '../../../src/cli/config-report.ts';
import { documentText, optionsOf, readDocument } from '../../../src/cli/demo-config.ts';
import { followConfig } from '../../../src/cli/follow-config.ts';
import type { FollowOptions } from '../../../src/cli/follow-config.ts';
import { writeHostApp } from '../../../src/cli/host-app.ts';
import type { HostApp } from '../../../src/cli/host-app.ts';
import { waitFor } from '../../harper/harness/wait-for.ts';

const SHOP = 'http://127.0.0.1:4000';
const FIRST = 'harper-prerender: { domains: [first.example] }\n';

describe("the operator's file", () => {
  let dir: string;
  let file: string;
  let app: HostApp;
  let said: string[];
  let following: { stop: () => Promise<void> };
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'follow-'));
    file = join(dir, 'host.yaml');
    writeFileSync(file, FIRST);
    app = writeHostApp(join(dir, 'app'), {});
    app.writeConfig(documentText(readDocument(file), SHOP));
    said = [];
  });
  afterEach(async () => {
    await following.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const passedOn = () => readFileSync(app.configFile, 'utf8');
  /** A component that puts into force what the app's file says, and refuses what is called `bad`. */
  const component = (): ConfigReport => {
    const { domains } = optionsOf(readDocument(app.configFile));
    const refused = JSON.stringify(domains).includes('bad');
    return {
      options: [{ path: 'domains', value: refused ? 'as before' : domains, layer: 'config.yaml' }],
      problems: refused ? [{ severity: 'error', text: '`domains` is bad.' }] : [],
      pending: [],
    };
  };
  const follow = (changes: Partial<FollowOptions> = {}) => {
    following = followConfig({
      file,
      app,
      shopOrigin: SHOP,
      readReport: async () => component(),
      say: (line) => said.push(line),
      intervalMs: 10,
      outcomeLimitMs: 200,
      ...changes,
    });
  };
  const hear = (text: string) => waitFor(() => said.join('\n').includes(text), { what: `it says "${text}"` });

  it('is passed on when it changes, and what came of it is told', async () => {
    follow();
    writeFileSync(file, 'harper-prerender: { domains: [own.example] }\n');
    await hear('has changed and is in force: domains.');
    expect(passedOn()).toContain('own.example');
    expect(passedOn()).toContain(`shop.example: ${SHOP}`);
  });

  it('that the component refuses is told with the reasons', async () => {
    let asked = 0;
    // The first asking comes before the change, the next ones before it has arrived.
    const good: ConfigReport = { options: [], problems: [], pending: [] };
    const bad: ConfigReport = { ...good, problems: [{ severity: 'error', text: '`domains` is bad.' }] };
    follow({ readReport: async () => (asked++ < 3 ? good : bad), outcomeLimitMs: 5_000 });
    writeFileSync(file, 'harper-prerender: { domains: [bad.example] }\n');
    await hear('has changed and was refused:');
    await hear('Error: `domains` is bad.');
    expect(asked).toBe(4);
  });

  it('that changes nothing in force is told so once the limit is over', async () => {
    follow({ readReport: async () => ({ options: [], problems: [], pending: [] }) });
    writeFileSync(file, 'harper-prerender: { domains: [own.example] }\n');
    await hear('was passed on; no option in force is another than before.');
  });

  it('that says the same in other words is not passed on', async () => {
    follow();
    const before = passedOn();
    writeFileSync(file, `# a comment\n${FIRST}`);
    await hear('has changed; its content is the same');
    expect(passedOn()).toBe(before);
  });

  it('that was changed while Harper booted is passed on', async () => {
    writeFileSync(file, 'harper-prerender: { domains: [early.example] }\n');
    follow();
    await hear('is in force');
    expect(passedOn()).toContain('early.example');
  });

  it('is passed on when the component does not answer, which is told', async () => {
    follow({ readReport: () => Promise.reject(new Error('it restarts')) });
    writeFileSync(file, 'harper-prerender: { domains: [own.example] }\n');
    await hear('was passed on; what came of it is not known: it restarts');
    expect(passedOn()).toContain('own.example');
  });

  it.each([
    ['harper-prerender:\n  domains: [\n', /cannot be read: .* at line \d+, column \d+/],
    ['other: {}\n', /mounts nothing/],
  ])('that is broken (%j) stays with the operator', async (text, message) => {
    follow();
    const before = passedOn();
    writeFileSync(file, text);
    await hear('What was passed on last stays');
    expect(said.join('\n')).toMatch(message);
    expect(passedOn()).toBe(before);
    writeFileSync(file, FIRST);
    await hear('its content is the same');
  });

  it('that is deleted is told once, and when it is there again', async () => {
    follow();
    const before = passedOn();
    renameSync(file, `${file}.away`);
    await hear('cannot be read any more (ENOENT');
    expect(passedOn()).toBe(before);
    renameSync(`${file}.away`, file);
    await hear('is there again');
    expect(said.filter((line) => line.includes('ENOENT'))).toHaveLength(1);
  });
});
