// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.
// biome-ignore-all lint: generated

export type ColourWord = 'red' | 'dark-blue'

export type PartRest = {
  name: string
  weight: number | null
}

export type ThingRest = {
  id: string
  name: string
  size: number | null
  colour: ColourWord | null
  parts: PartRest[]
}

export type EchoResponseRest = {
  id: string
  limit: number
  ratio: number | null
  force: boolean | null
  tags: string[]
  colour: ColourWord | null
  header_value: string | null
  user_id: string
  tier: string
  request_id: string
  counts: Record<string, number>
  nothing: ThingRest | null
  omitted?: string | null
  free: unknown
  pages: number | null
}

export type UpdateThingResponseRest = {
  set: string[]
  cleared: string[]
}

export type UploadResponseRest = {
  files: string[]
  sizes: number[]
  digests: string[]
  fields: Record<string, string>
}

export type CountedRest = {
  number: number
  filler?: string | null
}

export type FinishedRest = {
  reason?: string | null
}

export type PartInput = {
  name?: string | null | undefined
  weight?: number | null | undefined
}

/** Every route by method and path: its parameters, its answer and, of a stream, its frames by event. */
export type Routes = {
  /** Returns its request. All kinds of parameters. */
  'GET /probe/api/echo/{id}': {
    path: { id: string | number }
    query: { limit?: number | null | undefined; ratio?: number | null | undefined; force?: boolean | null | undefined; tags?: readonly (string)[] | null | undefined; colour?: ColourWord | null | undefined; word?: string | null | undefined; pages?: number | null | undefined }
    body: undefined
    answer: EchoResponseRest
    frames: {}
  }
  /** Makes a thing. */
  'POST /probe/api/things': {
    path: {}
    query: {}
    body: { name: string; size?: number | null | undefined; colour?: ColourWord | null | undefined; parts?: readonly (PartInput)[] | null | undefined }
    answer: ThingRest
    frames: {}
  }
  /** Changes a thing. */
  'PATCH /probe/api/things/{id}': {
    path: { id: string | number }
    query: {}
    body: { name?: string | null | undefined; size?: number | null | undefined }
    answer: UpdateThingResponseRest
    frames: {}
  }
  /** Removes a thing. */
  'DELETE /probe/api/things/{id}': {
    path: { id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Fails with the requested kind. */
  'GET /probe/api/fail': {
    path: {}
    query: { kind?: string | null | undefined; detail?: string | null | undefined; late?: boolean | null | undefined }
    body: undefined
    answer: ThingRest
    frames: {}
  }
  /** Counts, as events. */
  'GET /probe/api/count': {
    path: {}
    query: { to?: number | null | undefined; last_event_id?: string | null | undefined; behaviour?: string | null | undefined }
    body: undefined
    answer: undefined
    frames: { 'counted': CountedRest; 'spelled-out': CountedRest; 'done': FinishedRest }
  }
  /** Sends bytes. */
  'GET /probe/api/download': {
    path: {}
    query: { size?: number | null | undefined; filename?: string | null | undefined }
    body: undefined
    answer: Blob
    frames: {}
  }
  /** Takes files. */
  'POST /probe/api/upload': {
    path: {}
    query: { wait?: boolean | null | undefined }
    body: FormData
    answer: UploadResponseRest
    frames: {}
  }
  /** Takes any body. */
  'POST /probe/api/push': {
    path: {}
    query: { source_id?: string | null | undefined }
    body: string | Blob
    answer: UploadResponseRest
    frames: {}
  }
  /** Starts a search. */
  'GET /probe/api/start': {
    path: {}
    query: {}
    body: undefined
    answer: ThingRest
    frames: {}
  }
  /** Requires the API key. */
  'GET /probe/api/guarded': {
    path: {}
    query: {}
    body: undefined
    answer: ThingRest
    frames: {}
  }
  /** Requires the admin key. */
  'GET /probe/api/administered': {
    path: {}
    query: {}
    body: undefined
    answer: ThingRest
    frames: {}
  }
}

