import type { Clock } from '../../harper/clock.ts';
import type { ResponseHeaders } from '../../harper/http.ts';
import { ClientGone, type ClientSignal } from './client-signal.ts';
import type { Exchange } from './exchange.ts';
import type { OpenedExchange } from './origin-client.ts';
import { relayedHeaders } from './response-headers.ts';
import { mayShare } from './shareable.ts';

/** An origin answer: its body still in the exchange, or read already when it is another request's. Headers are not to be changed. */
export interface FlightAnswer {
  readonly status: number;
  readonly headers: Readonly<ResponseHeaders>;
  readonly body: { readonly exchange: Exchange } | { readonly shared: Buffer };
}

/** Starts the fetch; `onExchange` gets what can be aborted. */
export type StartFetch = (onExchange: (exchange: Exchange) => void) => Promise<OpenedExchange>;

export interface FlightOptions {
  /** `origin.maxSharedBytes`; 0: nothing is shared. */
  readonly maxSharedBytes: number;
  /** Ms that a request waits for another's answer before it asks for itself. */
  readonly waitLimit: number;
}

/** Lets concurrent requests of one key share one origin fetch. */
export interface SingleFlight {
  /**
   * The answer of a running fetch of this key when it may be shared, else of one of its own. Unless the answer is shared the
   * caller takes the body or releases it.
   * @throws what the fetch throws, that of a shared one too, since the origin would say the same again; ClientGone.
   */
  fetch(key: string, start: StartFetch, client: ClientSignal, options: FlightOptions): Promise<FlightAnswer>;
  /** Keys that are being fetched and shared now. */
  readonly size: number;
}

interface Opened extends OpenedExchange {
  readonly answer: FlightAnswer;
  readonly shareable: boolean;
}

/** A running fetch. `clients` wait for its headers; the last one to go closes the socket. */
interface Flight {
  readonly opened: Promise<Opened>;
  readonly join: () => () => void;
}

export function createSingleFlight(clock: Clock): SingleFlight {
  const flights = new Map<string, Flight>();

  const lead = async (
    key: string,
    start: StartFetch,
    client: ClientSignal,
    maxSharedBytes: number,
  ): Promise<FlightAnswer> => {
    const flight = launch(start, maxSharedBytes);
    const forget = (): void => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    if (maxSharedBytes > 0) flights.set(key, flight);
    const stopListening = client.onGone(flight.join());
    try {
      const { answer, exchange, shareable } = await flight.opened;
      if (shareable) exchange.share(maxSharedBytes, forget);
      else forget();
      return answer;
    } catch (error) {
      forget();
      throw client.gone ? new ClientGone() : error;
    } finally {
      stopListening();
    }
  };

  return {
    async fetch(key, start, client, { maxSharedBytes, waitLimit }) {
      const running = flights.get(key);
      if (running === undefined) return lead(key, start, client, maxSharedBytes);
      const shared = await follow(running, client, clock, waitLimit);
      if (shared !== undefined) return shared;
      if (client.gone) throw new ClientGone();
      return lead(key, start, client, 0);
    },
    get size() {
      return flights.size;
    },
  };
}

function launch(start: StartFetch, maxSharedBytes: number): Flight {
  let clients = 0;
  let running: Exchange | undefined;
  const opened = start((exchange) => {
    running = exchange;
  }).then(({ exchange, head }) => {
    const { headers, setsCookie } = relayedHeaders(head.rawHeaders);
    const { status } = head;
    const shareable = maxSharedBytes > 0 && mayShare({ status, headers, setsCookie }, maxSharedBytes);
    return { exchange, head, shareable, answer: { status, headers, body: { exchange } } };
  });
  const join = (): (() => void) => {
    clients++;
    return () => {
      if (--clients === 0) running?.abort();
    };
  };
  return { opened, join };
}

/** Another request's answer; undefined when it cannot be shared, does not come in time, or the client goes. */
function follow(
  flight: Flight,
  client: ClientSignal,
  clock: Clock,
  waitLimit: number,
): Promise<FlightAnswer | undefined> {
  const leave = flight.join();
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      timer.stop();
      stopListening();
      finish();
    };
    const timer = clock.after(waitLimit, () => settle(() => resolve(undefined)));
    const stopListening = client.onGone(() =>
      settle(() => {
        leave();
        resolve(undefined);
      }),
    );
    sharedAnswer(flight).then(
      (answer) => settle(() => resolve(answer)),
      (error: Error) => settle(() => reject(error)),
    );
  });
}

async function sharedAnswer(flight: Flight): Promise<FlightAnswer | undefined> {
  const { answer, exchange, shareable } = await flight.opened;
  if (!shareable) return undefined;
  const shared = await exchange.whole();
  return shared === undefined ? undefined : { ...answer, body: { shared } };
}
