/** The methods that the decoders of compressed streams share. */
export type Codec = {
  readonly ready: Promise<void>
  free(): void
  decode(bytes: Uint8Array): Promise<CodecOutput> | CodecOutput
  /** What is left at the end of the stream. */
  flush?(): Promise<CodecOutput> | CodecOutput
}

export type CodecOutput = {
  readonly channelData: Float32Array[]
  readonly samplesDecoded: number
  readonly sampleRate: number
}
