import { startWhenDirect } from './plugin.ts';

await startWhenDirect();
