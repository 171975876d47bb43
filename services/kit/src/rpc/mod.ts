export { basePathOf } from './base-path.ts'
export { type ByteContent, byteFrames, parseRange } from './byte-frames.ts'
export {
  type Call,
  type CallOptions,
  type Handlers,
  type Implementation,
  implementation,
  type ResponseHead,
  type RpcClient,
  type ServiceDefinition,
} from './call.ts'
export { anonymous, type Caller, type Tier, tiers } from './caller.ts'
export { isMatched, isUnchanged } from './entity-tag.ts'
export { connectGrpc, type GrpcClientOptions, type GrpcConnection, openGrpcChannel } from './grpc-client.ts'
export { InsecureListener, type RpcSecurity, type RpcTls } from './grpc-security.ts'
export { type GrpcServer, type GrpcServerOptions, serveGrpc } from './grpc-server.ts'
export { connectInProcess } from './in-process.ts'
export { createTlsFiles, type TlsFiles, tlsRefreshMilliseconds } from './tls-files.ts'
export { readUpload, type Upload, type UploadedFile, type UploadPart } from './upload.ts'
