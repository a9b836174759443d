import type { HttpHandler, HttpResponse } from './http.ts';

/**
 * Makes a handler fit to stand behind Harper's authentication, which adds a header of its own to a 401 and for that needs
 * an object with `set`.
 */
export function behindAuthentication(handler: HttpHandler): HttpHandler {
  return async (request, next) => {
    const response = await handler(request, next);
    return response.status === 401 && !(response.headers instanceof Headers) ? withHeaders(response) : response;
  };
}

function withHeaders(response: HttpResponse): HttpResponse {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const one of [value].flat()) headers.append(name, one);
  }
  return { ...response, headers: headers as unknown as HttpResponse['headers'] };
}
