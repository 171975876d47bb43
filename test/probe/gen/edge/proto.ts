// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.
export * from '../ts/trellis/probe/v1/probe.ts'
