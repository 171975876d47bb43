/** Messages between a local pool and its child processes. */
export type ToWorker = { kind: 'work'; runId: string; input: Uint8Array } | { kind: 'cancel'; runId: string }

export type FailureReport = { reason: string; kind: string; detail: string; retryAfterSeconds: number | undefined }

export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'progress'; runId: string; fraction: number; detail: string }
  | { kind: 'output'; runId: string; message: Uint8Array }
  | { kind: 'completed'; runId: string; result: Uint8Array }
  | { kind: 'failed'; runId: string; failure: FailureReport; trace?: string }
