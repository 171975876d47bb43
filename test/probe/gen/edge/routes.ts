// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.
// biome-ignore-all lint: generated
import * as trellis_probe_v1_probe from '../ts/trellis/probe/v1/probe.ts'
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
  /** The session cookie suffices instead of the API key. */
  session: boolean
  /** Work that a call starts, which is rate-limited per caller. */
  starts: 'none' | 'search' | 'generation' | 'export'
  pathFields: Record<string, TextKind>
  queryFields: Record<string, TextKind>
  /** Request field → the header from which it is read, or the cookie in it. */
  headerFields: Record<string, { header: string; cookie?: string; kind: TextKind }>
  /** Fields of the multipart form; the query may contain them, too. */
  formFields: readonly string[]
  hasBody: boolean
  mediaTypes: readonly string[]
  /** A PATCH whose message receives the keys of the body as a mask. */
  masked: boolean
  /** That of the query includes the fields of headers. */
  schema: { params?: object; query?: object; body?: object }
  fromRest: (json: any) => any
  toRest?: (message: any) => unknown
  frames?: {
    oneof: string
    id: string | undefined
    /** The case of the oneof that holds serialized frames. */
    written: string | undefined
    events: Record<string, { name: string; toRest: (message: any) => unknown }>
  }
}

export const services = [
  { name: 'trellis.probe.v1.ProbeService', mount: '/probe', title: "Probe", version: '1.2.3', heartbeat: 'heartbeat', definition: trellis_probe_v1_probe.ProbeServiceDefinition },
] as const

export const routes: readonly Route[] = [
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'echo',
    method: 'GET',
    path: '/probe/api/echo/{id}',
    stream: 'none',
    status: 200,
    access: 'caller',
    session: true,
    starts: 'none',
    pathFields: {"id":"string"},
    queryFields: {"limit":"number","ratio":"number","force":"boolean","tags":"string[]","colour":"string","word":"string","pages":"number"},
    headerFields: {"header_value":{"header":"x-probe","kind":"string"}},
    formFields: [],
    hasBody: false,
    mediaTypes: [],
    masked: false,
    schema: {"params":{"type":"object","properties":{"id":{"type":["string","null"],"maxLength":40}},"additionalProperties":false},"query":{"type":"object","properties":{"limit":{"type":["integer","null"],"format":"int32","maximum":1000,"minimum":1,"default":50},"ratio":{"type":["number","null"]},"force":{"type":["boolean","null"]},"tags":{"type":["array","null"],"items":{"type":"string"}},"colour":{"type":["string","null"],"enum":["red","dark-blue",null]},"word":{"type":["string","null"],"enum":["","one","two",null]},"pages":{"type":["integer","null"],"default":1},"header_value":{"type":["string","null"]}},"additionalProperties":false}},
    fromRest: codec.EchoRequestFromRest,
    toRest: codec.EchoResponseToRest,
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'createThing',
    method: 'POST',
    path: '/probe/api/things',
    stream: 'none',
    status: 201,
    access: 'caller',
    session: false,
    starts: 'none',
    pathFields: {},
    queryFields: {},
    headerFields: {},
    formFields: [],
    hasBody: true,
    mediaTypes: [],
    masked: false,
    schema: {"body":{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":100},"size":{"type":["integer","null"],"format":"int64","minimum":0,"maximum":9007199254740991},"colour":{"type":["string","null"],"enum":["red","dark-blue",null]},"parts":{"type":["array","null"],"items":{"type":"object","properties":{"name":{"type":["string","null"],"minLength":1},"weight":{"type":["number","null"]}},"additionalProperties":false},"maxItems":3}},"required":["name"],"additionalProperties":false}},
    fromRest: codec.CreateThingRequestFromRest,
    toRest: codec.ThingToRest,
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'updateThing',
    method: 'PATCH',
    path: '/probe/api/things/{id}',
    stream: 'none',
    status: 200,
    access: 'caller',
    session: false,
    starts: 'none',
    pathFields: {"id":"string"},
    queryFields: {},
    headerFields: {},
    formFields: [],
    hasBody: true,
    mediaTypes: [],
    masked: true,
    schema: {"params":{"type":"object","properties":{"id":{"type":["string","null"]}},"additionalProperties":false},"body":{"type":"object","properties":{"name":{"type":["string","null"],"maxLength":100},"size":{"type":["integer","null"],"format":"int64","minimum":-9007199254740991,"maximum":9007199254740991}},"additionalProperties":false}},
    fromRest: codec.UpdateThingRequestFromRest,
    toRest: codec.UpdateThingResponseToRest,
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'deleteThing',
    method: 'DELETE',
    path: '/probe/api/things/{id}',
    stream: 'none',
    status: 204,
    access: 'caller',
    session: false,
    starts: 'none',
    pathFields: {"id":"string"},
    queryFields: {},
    headerFields: {},
    formFields: [],
    hasBody: false,
    mediaTypes: [],
    masked: false,
    schema: {"params":{"type":"object","properties":{"id":{"type":["string","null"]}},"additionalProperties":false}},
    fromRest: codec.DeleteThingRequestFromRest,
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'fail',
    method: 'GET',
    path: '/probe/api/fail',
    stream: 'none',
    status: 200,
    access: 'caller',
    session: true,
    starts: 'none',
    pathFields: {},
    queryFields: {"kind":"string","detail":"string","late":"boolean"},
    headerFields: {},
    formFields: [],
    hasBody: false,
    mediaTypes: [],
    masked: false,
    schema: {"query":{"type":"object","properties":{"kind":{"type":["string","null"]},"detail":{"type":["string","null"]},"late":{"type":["boolean","null"]}},"additionalProperties":false}},
    fromRest: codec.FailRequestFromRest,
    toRest: codec.ThingToRest,
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'count',
    method: 'GET',
    path: '/probe/api/count',
    stream: 'sse',
    status: 200,
    access: 'caller',
    session: true,
    starts: 'none',
    pathFields: {},
    queryFields: {"to":"number","last_event_id":"string","behaviour":"string"},
    headerFields: {"last_event_id":{"header":"last-event-id","kind":"string"}},
    formFields: [],
    hasBody: false,
    mediaTypes: [],
    masked: false,
    schema: {"query":{"type":"object","properties":{"to":{"type":["integer","null"],"format":"int32"},"last_event_id":{"type":["string","null"]},"behaviour":{"type":["string","null"]}},"additionalProperties":false}},
    fromRest: codec.CountRequestFromRest,
    frames: {
      oneof: 'event',
      id: 'eventId',
      written: undefined,
      events: {
        counted: { name: 'counted', toRest: codec.CountedToRest },
        spelledOut: { name: 'spelled-out', toRest: codec.CountedToRest },
        done: { name: 'done', toRest: codec.FinishedToRest },
      },
    },
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'download',
    method: 'GET',
    path: '/probe/api/download',
    stream: 'bytes',
    status: 200,
    access: 'caller',
    session: true,
    starts: 'none',
    pathFields: {},
    queryFields: {"size":"number","filename":"string"},
    headerFields: {"range":{"header":"range","kind":"string"}},
    formFields: [],
    hasBody: false,
    mediaTypes: ["text/plain"],
    masked: false,
    schema: {"query":{"type":"object","properties":{"size":{"type":["integer","null"],"format":"int64","minimum":-9007199254740991,"maximum":9007199254740991},"filename":{"type":["string","null"]},"range":{"type":["string","null"]}},"additionalProperties":false}},
    fromRest: codec.DownloadRequestFromRest,
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'upload',
    method: 'POST',
    path: '/probe/api/upload',
    stream: 'multipart',
    status: 202,
    access: 'caller',
    session: false,
    starts: 'none',
    pathFields: {},
    queryFields: {"wait":"boolean"},
    headerFields: {},
    formFields: ["label"],
    hasBody: false,
    mediaTypes: [],
    masked: false,
    schema: {"query":{"type":"object","properties":{"wait":{"type":["boolean","null"]}},"additionalProperties":false}},
    fromRest: codec.UploadParametersFromRest,
    toRest: codec.UploadResponseToRest,
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'push',
    method: 'POST',
    path: '/probe/api/push',
    stream: 'body',
    status: 200,
    access: 'caller',
    session: false,
    starts: 'none',
    pathFields: {},
    queryFields: {"source_id":"string"},
    headerFields: {},
    formFields: [],
    hasBody: false,
    mediaTypes: ["application/x-ndjson"],
    masked: false,
    schema: {"query":{"type":"object","properties":{"source_id":{"type":["string","null"]}},"additionalProperties":false}},
    fromRest: codec.PushParametersFromRest,
    toRest: codec.UploadResponseToRest,
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'start',
    method: 'GET',
    path: '/probe/api/start',
    stream: 'none',
    status: 200,
    access: 'caller',
    session: true,
    starts: 'search',
    pathFields: {},
    queryFields: {},
    headerFields: {},
    formFields: [],
    hasBody: false,
    mediaTypes: [],
    masked: false,
    schema: {},
    fromRest: codec.GuardedRequestFromRest,
    toRest: codec.ThingToRest,
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'guarded',
    method: 'GET',
    path: '/probe/api/guarded',
    stream: 'none',
    status: 200,
    access: 'api_key',
    session: true,
    starts: 'none',
    pathFields: {},
    queryFields: {},
    headerFields: {},
    formFields: [],
    hasBody: false,
    mediaTypes: [],
    masked: false,
    schema: {},
    fromRest: codec.GuardedRequestFromRest,
    toRest: codec.ThingToRest,
  },
  {
    service: 'trellis.probe.v1.ProbeService',
    rpc: 'administered',
    method: 'GET',
    path: '/probe/api/administered',
    stream: 'none',
    status: 200,
    access: 'admin_key',
    session: true,
    starts: 'none',
    pathFields: {},
    queryFields: {},
    headerFields: {},
    formFields: [],
    hasBody: false,
    mediaTypes: [],
    masked: false,
    schema: {},
    fromRest: codec.GuardedRequestFromRest,
    toRest: codec.ThingToRest,
  },
]
