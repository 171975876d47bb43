/** Writes docs/examples/tune.ogg: the tune of the tests, encoded once, as an example to continue. */
import { writeFileSync } from 'node:fs'
import { createOggEncoder } from 'wasm-media-encoders'
import { tune } from './tune.ts'

const sampleRate = 22_050
const wav = tune({ seconds: 16, sampleRate, bpm: 110 })
const samples = Float32Array.from(
  { length: (wav.length - 44) / 2 },
  (_, index) => wav.readInt16LE(44 + index * 2) / 32_768,
)
const encoder = await createOggEncoder()
encoder.configure({ channels: 1, sampleRate, vbrQuality: 2 })
const parts: Uint8Array[] = []
for (let start = 0; start < samples.length; start += sampleRate) {
  parts.push(Uint8Array.from(encoder.encode([samples.subarray(start, start + sampleRate)])))
}
parts.push(Uint8Array.from(encoder.finalize()))
writeFileSync(new URL('../../docs/examples/tune.ogg', import.meta.url), Buffer.concat(parts))
