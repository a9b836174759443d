import { describe, expect, it } from 'vitest';
import { resultServer } from '../../../src/worker/callback-origin.ts';

describe('where the result of a job goes', () => {
  const servers = ['http://node1:9926', 'https://node2:9927', 'http://127.0.0.1:9926'];
  it('to the server that it was claimed from, when the callback names its host', () => {
    expect(resultServer('node1', 'http://node1:9926', servers)).toBe('http://node1:9926');
    expect(resultServer('NODE1:9926', 'http://node1:9926', servers)).toBe('http://node1:9926');
    expect(resultServer('127.0.0.1', 'http://127.0.0.1:9926/', servers)).toBe('http://127.0.0.1:9926');
  });
  it('to another known server, when the callback names that', () => {
    expect(resultServer('node2', 'http://node1:9926', servers)).toBe('https://node2:9927');
  });
  it('else by http on loopback and by https elsewhere', () => {
    expect(resultServer('127.0.0.2:80', 'http://node1:9926', servers)).toBe('http://127.0.0.2:80');
    expect(resultServer('localhost:9930', 'http://node1:9926', servers)).toBe('http://localhost:9930');
    expect(resultServer('[::1]:9930', 'http://node1:9926', servers)).toBe('http://[::1]:9930');
    expect(resultServer('node3', 'http://node1:9926', servers)).toBe('https://node3');
    expect(resultServer('node1:9000', 'http://node1:9926', servers)).toBe('https://node1:9000');
    expect(resultServer('127.evil.test', 'http://node1:9926', servers)).toBe('https://127.evil.test');
  });
  it('to the server claimed from, when the callback is no host', () => {
    for (const bad of ['', 'a b', 'http://x/', 'user@host', 'host/path', '[::1'])
      expect(resultServer(bad, 'http://node1:9926', servers), bad).toBe('http://node1:9926');
  });
});
