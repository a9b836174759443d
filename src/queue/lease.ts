/**
 * A lease is the right of the render fleet to one URL until it ends. The jobs of a claim are one durable row, its batch; a lease
 * that did not fit into one claim goes on in the next, so its devices can lie in two batches.
 */
export interface LeaseBatch {
  /** Digits, growing with each claim of the node, over restarts too. */
  id: string;
  grantedAt: number;
  expiresAt: number;
  jobs: BatchJob[];
  /** What the claim left of its last URL, for the next claim. */
  carry: CarriedLease | null;
}

/** What one claim was granted of one URL. */
export interface BatchJob {
  url: string;
  /** Id of the lease: `<batch that began it>.<index there>`. */
  lease: string;
  /** Epoch ms when the lease began. */
  leasedAt: number;
  /** All devices of the lease, in order. */
  devices: string[];
  /** Those granted here. */
  granted: string[];
}

/** Devices of a lease that nobody has been granted yet. */
export interface CarriedLease {
  url: string;
  lease: string;
  leasedAt: number;
  devices: string[];
  left: string[];
}

/** A job's id on the wire: which batch, which of its URLs, which device of that. */
export interface JobRef {
  readonly batch: string;
  readonly index: number;
  readonly device: number;
}

const JOB_ID = /^(\d{1,16})\.(\d{1,5})\.(\d{1,3})$/;

export function formatJobId({ batch, index, device }: JobRef): string {
  return `${batch}.${index}.${device}`;
}

/** Undefined when it is no id of ours. */
export function parseJobId(id: string): JobRef | undefined {
  const parts = JOB_ID.exec(id);
  if (!parts) return undefined;
  const [, batch = '', index = '', device = ''] = parts;
  return { batch, index: Number(index), device: Number(device) };
}
