/** Why a gate of the discovery kept a URL out (design.md §5). */
export type GateReason = 'bot' | 'route' | 'malformed' | 'robots' | 'known-product' | 'budget';

/** Why a request could add nothing, whatever the gates say. */
export type NotCandidate =
  | 'own-request'
  | 'no-miss'
  | 'method'
  | 'route-mode'
  | 'key-too-long'
  | 'no-answer'
  | 'status'
  | 'content-type'
  | 'noindex'
  | 'canonical'
  | 'no-store'
  | 'backlog';

/** What a request meant for the corpus: `mint`: it adds the URL; `exists`: the URL has a Target, or gets it right now. */
export type DiscoveryVerdict =
  | { readonly kind: 'mint' }
  | { readonly kind: 'gated'; readonly reason: GateReason }
  | { readonly kind: 'not-candidate'; readonly why: NotCandidate }
  | { readonly kind: 'exists' };
