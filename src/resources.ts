import { createTableResource } from './harper/table-resource.ts';
import { currentServices, startWhenDirect } from './plugin.ts';

/** `/Target/<url>`: the registry of URLs, for super users. */
export const Target = createTableResource('render_service', 'Target', () => currentServices()?.target);

await startWhenDirect();
