// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.
// biome-ignore-all lint: generated
import type * as proto from './proto.ts'

const omitNull = (name: string, value: unknown) => (value === null || value === undefined ? {} : { [name]: value })
const present = <In, Out>(value: In | null | undefined, map: (value: In) => Out): Out | null => (value === null || value === undefined ? null : map(value))
const mapValues = <In, Out>(map: { [key: string]: In }, write: (value: In) => Out): { [key: string]: Out } =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, write(value)]))
const jsonOf = (text: string | null | undefined): unknown => (text === null || text === undefined || text === '' ? null : JSON.parse(text))
const textOf = (value: unknown): string => (value === null || value === undefined ? '' : JSON.stringify(value))
const oneof = (value: any, member: string): any => (value?.$case === member ? value.value : undefined)


