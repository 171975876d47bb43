// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.
// biome-ignore-all lint: generated
import type * as trellis_probe_v1_probe from '../ts/trellis/probe/v1/probe.ts'
import type { ColourWord, PartRest, ThingRest, EchoResponseRest, UpdateThingResponseRest, UploadResponseRest, CountedRest, FinishedRest } from './client.ts'
export type * from './client.ts'

const omitNull = (name: string, value: unknown) => (value === null || value === undefined ? {} : { [name]: value })
const present = <In, Out>(value: In | null | undefined, map: (value: In) => Out): Out | null => (value === null || value === undefined ? null : map(value))
const mapValues = <In, Out>(map: { [key: string]: In }, write: (value: In) => Out): { [key: string]: Out } =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, write(value)]))
const jsonOf = (text: string | null | undefined): unknown => (text === null || text === undefined || text === '' ? null : JSON.parse(text))
const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))
const int32Of = (value: number | null | undefined) => (value == null ? value : Math.max(-2147483648, Math.min(2147483647, value)))
const oneof = (value: any, member: string): any => (value?.$case === member ? value.value : undefined)


const ColourWords: Record<string, ColourWord | null> = {
  COLOUR_UNSPECIFIED: null,
  COLOUR_RED: 'red',
  COLOUR_DARK_BLUE: 'dark-blue',
}
const ColourValues: Record<string, trellis_probe_v1_probe.Colour> = {
  'red': 'COLOUR_RED',
  'dark-blue': 'COLOUR_DARK_BLUE',
}

export const PartToRest = (m: trellis_probe_v1_probe.Part): PartRest => ({
  name: m.name,
  weight: m.weight ?? null,
})

export const ThingToRest = (m: trellis_probe_v1_probe.Thing): ThingRest => ({
  id: m.id,
  name: m.name,
  size: m.size ?? null,
  colour: ColourWords[m.colour] ?? null,
  parts: m.parts.map((item) => PartToRest(item)),
})

export const EchoResponseToRest = (m: trellis_probe_v1_probe.EchoResponse): EchoResponseRest => ({
  id: m.id,
  limit: m.limit,
  ratio: m.ratio ?? null,
  force: m.force ?? null,
  tags: m.tags,
  colour: ColourWords[m.colour] ?? null,
  header_value: m.headerValue ?? null,
  user_id: m.userId,
  tier: m.tier,
  request_id: m.requestId,
  counts: m.counts,
  nothing: present(m.nothing, (item) => ThingToRest(item)),
  ...omitNull('omitted', m.omitted ?? null),
  free: jsonOf(m.free),
  pages: m.pages ?? null,
})

export const UpdateThingResponseToRest = (m: trellis_probe_v1_probe.UpdateThingResponse): UpdateThingResponseRest => ({
  set: m.set,
  cleared: m.cleared,
})

export const UploadResponseToRest = (m: trellis_probe_v1_probe.UploadResponse): UploadResponseRest => ({
  files: m.files,
  sizes: m.sizes,
  digests: m.digests,
  fields: m.fields,
})

export const CountedToRest = (m: trellis_probe_v1_probe.Counted): CountedRest => ({
  number: m.number,
  ...omitNull('filler', m.filler ?? null),
})

export const FinishedToRest = (m: trellis_probe_v1_probe.Finished): FinishedRest => ({
  ...omitNull('reason', m.reason ?? null),
})

export const EchoRequestFromRest = (j: any): trellis_probe_v1_probe.EchoRequest => ({
  id: j.id ?? '',
  limit: j.limit ?? 50,
  ratio: j.ratio ?? undefined,
  force: j.force ?? undefined,
  tags: j.tags ?? [],
  colour: ColourValues[j.colour ?? ''] ?? 'COLOUR_UNSPECIFIED',
  word: j.word ?? '',
  headerValue: j.header_value ?? undefined,
  pages: int32Of(j.pages) ?? 1,
})

export const PartFromRest = (j: any): trellis_probe_v1_probe.Part => ({
  name: j.name ?? '',
  weight: j.weight ?? undefined,
})

export const CreateThingRequestFromRest = (j: any): trellis_probe_v1_probe.CreateThingRequest => ({
  name: j.name ?? '',
  size: j.size ?? undefined,
  colour: ColourValues[j.colour ?? ''] ?? 'COLOUR_UNSPECIFIED',
  parts: (j.parts ?? []).map((item: any) => PartFromRest(item)),
})

export const UpdateThingRequestFromRest = (j: any): trellis_probe_v1_probe.UpdateThingRequest => ({
  id: j.id ?? '',
  name: j.name ?? undefined,
  size: j.size ?? undefined,
  updateMask: j.update_mask,
})

export const DeleteThingRequestFromRest = (j: any): trellis_probe_v1_probe.DeleteThingRequest => ({
  id: j.id ?? '',
})

export const FailRequestFromRest = (j: any): trellis_probe_v1_probe.FailRequest => ({
  kind: j.kind ?? '',
  detail: j.detail ?? '',
  late: j.late ?? false,
})

export const CountRequestFromRest = (j: any): trellis_probe_v1_probe.CountRequest => ({
  to: j.to ?? 0,
  lastEventId: j.last_event_id ?? undefined,
  behaviour: j.behaviour ?? '',
})

export const DownloadRequestFromRest = (j: any): trellis_probe_v1_probe.DownloadRequest => ({
  size: j.size ?? 0,
  filename: j.filename ?? undefined,
  range: j.range ?? undefined,
})

export const UploadParametersFromRest = (j: any): trellis_probe_v1_probe.UploadParameters => ({
  wait: j.wait ?? false,
  label: j.label ?? '',
})

export const PushParametersFromRest = (j: any): trellis_probe_v1_probe.PushParameters => ({
  sourceId: j.source_id ?? '',
})

export const GuardedRequestFromRest = (_: any): trellis_probe_v1_probe.GuardedRequest => ({
})

