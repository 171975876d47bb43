import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '@trellis/kit/errors'
import type { Device, DeviceChoice } from '../../onnx/devices.ts'
import { ModelUnusable } from '../../onnx/model-unusable.ts'
import { loadRuntime, type Runtime } from '../../onnx/runtime.ts'
import { modelSetting } from '../model-setting.ts'
import { createAutoregressive } from './autoregressive.ts'
import { type Codec, createCodec } from './codec.ts'
import { createLatent } from './latent.ts'
import type { Manifest, ModelFolder } from './manifest.ts'
import { type Network, openNetwork } from './network.ts'
import type { SequenceModel } from './sequence-model.ts'
import { openTextEncoder, type TextEncoder } from './text.ts'

/** A loaded model. */
export type MusicModel = AsyncDisposable & {
  readonly manifest: Manifest
  /** Maximum length of the context, in seconds. */
  readonly contextSeconds: number
  readonly device: Device
  readonly codec: Codec
  readonly sequence: SequenceModel
  /** Undefined if the model does not read prompts. */
  readonly encodeText: TextEncoder | undefined
}

const loadOn = async (runtime: Runtime, model: ModelFolder, device: Device): Promise<MusicModel> => {
  const { folder, manifest, contextSeconds } = model
  const { files } = manifest
  await using opened = new AsyncDisposableStack()
  const open = async (name: string): Promise<Network> => {
    const network = await openNetwork(runtime, join(folder, name), device)
    opened.defer(() => network.release())
    return network
  }
  const [encoder, decoder, network] = [await open(files.encoder), await open(files.decoder), await open(files.network)]
  const rows = manifest.kind === 'latent' ? manifest.latent_channels : manifest.codebooks
  const codec = createCodec({ manifest, encoder, decoder, rows })
  const sequence =
    manifest.kind === 'latent' ? createLatent(manifest, network) : createAutoregressive(manifest, network)
  const encodeText =
    files.text_encoder === undefined || files.tokenizer === undefined
      ? undefined
      : await openTextEncoder(await open(files.text_encoder), join(folder, files.tokenizer), manifest)
  const stack = opened.move()
  const dispose = () => stack.disposeAsync()
  return { manifest, contextSeconds, device, codec, sequence, encodeText, [Symbol.asyncDispose]: dispose }
}

/** Reports a missing GPU by name. */
const withoutGpu = (cause: unknown): ModelUnusable =>
  new ModelUnusable(
    `No GPU can be used: MUSIC_MODEL_DEVICE is "cuda", which needs a GPU of NVIDIA, CUDA 12, cuDNN 9 and the GPU files of onnxruntime-node (${messageOf(cause)}). Set it to "cpu" or "auto" to do without.`,
    { cause },
  )

/** Devices of NVIDIA's driver, on Linux and in its subsystem for Windows. Elsewhere it can only be tried. */
const gpuDevices = ['/dev/nvidiactl', '/dev/dxg']
const mayHaveGpu = (): boolean => process.platform !== 'linux' || gpuDevices.some((path) => existsSync(path))

/** Loads the networks of a model. Throws ModelUnusable. */
export const openModel = async (model: ModelFolder, choice: DeviceChoice): Promise<MusicModel> => {
  const runtime = await loadRuntime(modelSetting)
  if (choice === 'cpu' || (choice === 'auto' && !mayHaveGpu())) return loadOn(runtime, model, 'cpu')
  const hasGpuFiles = runtime.listSupportedBackends().some(({ name }) => name === 'cuda')
  try {
    if (!hasGpuFiles) throw new Error('the runtime of models has no support for GPUs on this system')
    return await loadOn(runtime, model, 'cuda')
  } catch (cause) {
    // Throws what is wrong with the model itself.
    const onCpu = await loadOn(runtime, model, 'cpu')
    if (choice === 'auto') return onCpu
    await onCpu[Symbol.asyncDispose]()
    throw withoutGpu(cause)
  }
}
