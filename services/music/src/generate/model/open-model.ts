import { join } from 'node:path'
import type { Device, DeviceChoice } from '../../onnx/devices.ts'
import { mayHaveGpu, whyNoGpu } from '../../onnx/gpu.ts'
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
import { tryModel } from './try-model.ts'

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

/** Loads a model and tries it: that cuDNN is missing, or GPU memory, only shows when a network runs. */
const loadTried = async (runtime: Runtime, model: ModelFolder, device: Device): Promise<MusicModel> => {
  await using opened = new AsyncDisposableStack()
  const loaded = opened.use(await loadOn(runtime, model, device))
  await tryModel(loaded)
  opened.move()
  return loaded
}

/** Reports why a GPU that is required cannot be used. */
const withoutGpu = (cause: unknown): ModelUnusable =>
  new ModelUnusable(
    `No GPU can be used, but MUSIC_MODEL_DEVICE is "cuda". ${whyNoGpu(cause)} Set it to "cpu" or "auto" to do without one.`,
    { cause },
  )

/** Loads the networks of a model. Throws ModelUnusable. */
export const openModel = async (model: ModelFolder, choice: DeviceChoice): Promise<MusicModel> => {
  const runtime = await loadRuntime(modelSetting)
  if (choice === 'cpu' || (choice === 'auto' && !mayHaveGpu())) return loadOn(runtime, model, 'cpu')
  const hasGpuFiles = runtime.listSupportedBackends().some(({ name }) => name === 'cuda')
  try {
    if (!hasGpuFiles) throw new Error('onnxruntime-node has no support for GPUs of NVIDIA on this system.')
    return await loadTried(runtime, model, 'cuda')
  } catch (cause) {
    // Throws what is wrong with the model itself.
    const onCpu = await loadTried(runtime, model, 'cpu')
    if (choice === 'auto') return onCpu
    await onCpu[Symbol.asyncDispose]()
    throw withoutGpu(cause)
  }
}
