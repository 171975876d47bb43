// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.
export * from '../ts/trellis/http/v1/messages.ts'
export * from '../ts/trellis/workloads/v1/workloads.ts'
