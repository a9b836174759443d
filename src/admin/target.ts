import { PrerenderError } from '../errors.ts';
import type { HttpHandler, HttpRequest } from '../harper/http.ts';
import type { Logger } from '../harper/logger.ts';
import { requireSameOrigin } from '../harper/same-origin.ts';
import type { TargetResource } from '../target/resource.ts';
import { errorResponse, json, readJsonObject } from './answers.ts';
import { requireSuperUser } from './authorise.ts';

export const TARGET_PATH = '/Target';

/**
 * `/Target/<url>` (GET, PUT, DELETE) and `POST /Target`, for super users. An ordinary handler with the shape of a Harper
 * resource: a resource would answer bad JSON with a 500 before our code, and errors without their code.
 */
export function createTargetHandler(resource: TargetResource, logger: Logger): HttpHandler {
  return async (request, next) => {
    const { pathname } = request;
    if (pathname !== TARGET_PATH && !pathname.startsWith(`${TARGET_PATH}/`)) return next(request);
    try {
      requireSuperUser(request);
      return json(200, await dispatch(resource, request));
    } catch (error) {
      return errorResponse(error, logger);
    }
  };
}

async function dispatch(resource: TargetResource, request: HttpRequest): Promise<unknown> {
  const url = urlOf(request);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead) requireSameOrigin(request);
  if (url === '') {
    if (request.method === 'POST') return resource.post(await readJsonObject(request));
    if (isRead) throw new PrerenderError('URL_INVALID', { reason: 'the path has to go on with an absolute URL' });
    throw new PrerenderError('METHOD_NOT_ALLOWED', { method: request.method, allowed: 'POST' });
  }
  if (isRead) return resource.get(url);
  if (request.method === 'PUT') return resource.put(url, await readJsonObject(request));
  if (request.method === 'DELETE') return resource.delete(url);
  throw new PrerenderError('METHOD_NOT_ALLOWED', { method: request.method, allowed: 'GET, PUT, DELETE' });
}

/** The URL behind the path, byte for byte with its query; percent-encoded as a whole, as many clients do, it is decoded. */
function urlOf(request: HttpRequest): string {
  const rest = request.url.slice(TARGET_PATH.length + 1);
  if (!/^https?%3a/i.test(rest)) return rest;
  try {
    return decodeURIComponent(rest);
  } catch (error) {
    throw new PrerenderError('URL_INVALID', { reason: 'its escapes are not UTF-8' }, { cause: error });
  }
}
