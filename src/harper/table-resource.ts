import { PrerenderError } from '../errors.ts';
import { harperGlobals, type HarperTable } from './globals.ts';
import type { HttpUser } from './http.ts';

/** What the REST verbs of an exported table do; the id is the rest of the URL, byte for byte, query included. */
export interface ResourceVerbs {
  get(id: string): unknown;
  put(id: string, body: unknown): unknown;
  delete(id: string): unknown;
  /** On the collection: an action. */
  post(body: unknown): unknown;
}

interface RequestTarget {
  readonly id?: unknown;
  readonly isCollection?: boolean;
}

interface ResourceInstance {
  getCurrentUser(): HttpUser | undefined;
}

/** The static side of a Resource class that Harper exports by its name. */
export type ResourceClass = abstract new (...args: never[]) => object;

/**
 * A Harper resource over a table, for super users alone, whose verbs do what the design gives them a meaning for and
 * nothing else. `verbs` is asked at each call, since resources load before the services are built; until then: 503.
 * On the main thread, where there may be no table, it is an empty Resource.
 */
export function createTableResource(
  database: string,
  table: string,
  verbs: () => ResourceVerbs | undefined,
): ResourceClass {
  const globals = harperGlobals();
  const base = (globals.databases[database]?.[table] ?? globals.Resource) as HarperTable & ResourceClass;
  const run = async (instance: ResourceInstance, call: (verbs: ResourceVerbs) => unknown): Promise<unknown> => {
    try {
      requireSuperUser(instance.getCurrentUser());
      const current = verbs();
      if (!current) throw new PrerenderError('NOT_READY', { reason: 'it starts' });
      return await call(current);
    } catch (error) {
      throw withStatusCode(error);
    }
  };
  class TableResource extends (base as unknown as new () => ResourceInstance) {
    static loadAsInstance = false;
    static directURLMapping = true;
    get(target: RequestTarget): Promise<unknown> {
      return run(this, (current) => current.get(idOf(target)));
    }
    put(target: RequestTarget, body: Promise<unknown>): Promise<unknown> {
      return run(this, async (current) => current.put(idOf(target), await body));
    }
    delete(target: RequestTarget): Promise<unknown> {
      return run(this, (current) => current.delete(idOf(target)));
    }
    post(_target: RequestTarget, body: Promise<unknown>): Promise<unknown> {
      return run(this, async (current) => current.post(await body));
    }
    patch(): Promise<unknown> {
      return run(this, () => {
        throw new PrerenderError('METHOD_NOT_ALLOWED', { method: 'PATCH', allowed: 'GET, PUT, DELETE, POST' });
      });
    }
  }
  return TableResource;
}

function idOf(target: RequestTarget): string {
  if (typeof target.id === 'string' && target.id !== '') return target.id;
  throw new PrerenderError('URL_INVALID', { reason: 'the path has to go on with an absolute URL' });
}

function requireSuperUser(user: HttpUser | undefined): void {
  if (!user) throw new PrerenderError('AUTHENTICATION_REQUIRED');
  if (user.role?.permission?.super_user !== true) throw new PrerenderError('ROLE_REQUIRED', { role: 'a super user' });
}

/** Harper reads the status of an answer from `statusCode`. */
function withStatusCode(error: unknown): unknown {
  return error instanceof PrerenderError ? Object.assign(error, { statusCode: error.status }) : error;
}
