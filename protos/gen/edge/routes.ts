// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.
// biome-ignore-all lint: generated
import * as proto from './proto.ts'
import * as codec from './rest.ts'

export type TextKind = 'string' | 'number' | 'boolean' | 'string[]' | 'number[]' | 'boolean[]'

/** One rpc as an HTTP route. */
export type Route = {
  service: string
  rpc: string
  method: string
  path: string
  stream: 'none' | 'sse' | 'bytes' | 'multipart' | 'body'
  status: number
  access: 'open' | 'caller' | 'api_key' | 'admin_key' | 'branch_key'
  pathFields: Record<string, TextKind>
  queryFields: Record<string, TextKind>
  /** Request field → the header it may be read from. */
  headerFields: Record<string, string>
  hasBody: boolean
  mediaTypes: readonly string[]
  /** A PATCH whose message is told which keys the body had. */
  masked: boolean
  schema: { params?: object; query?: object; body?: object }
  fromRest: (json: any) => any
  toRest?: (message: any) => unknown
  frames?: {
    oneof: string
    id: string | undefined
    events: Record<string, { name: string; toRest: (message: any) => unknown }>
  }
}

export const services = [
] as const

export const routes: readonly Route[] = [
]
