import { copyFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { whyNoGpu } from './gpu.ts'

const onLinux = test.skipIf(process.platform !== 'linux')
const entry = createRequire(import.meta.url).resolve('onnxruntime-node')
const binding = join(dirname(entry), '../bin/napi-v6', process.platform, process.arch, 'onnxruntime_binding.node')

/** The runtime's message for a GPU that is hidden by CUDA_VISIBLE_DEVICES, shortened within. */
const hidden = new Error(
  'encoder.onnx cannot be loaded: /onnxruntime_src/onnxruntime/core/providers/cuda/cuda_call.cc:146 CUDA failure 100: no CUDA-capable device is detected ; GPU=-1 ; hostname=vm ; expr=cudaSetDevice(info_.device_id); ',
)

/** The runtime's message for a missing cuDNN, which it looks for when a network runs, shortened within. */
const withoutCudnn = new Error(
  'encoder.onnx fails: NOT_IMPLEMENTED : cuDNN is unavailable or disabled for CUDA Execution Provider: dlopen failed for libcudnn.so: libcudnn.so: cannot open shared object file: No such file or directory',
)

onLinux('a machine without a GPU is named before what else it lacks', async () => {
  await using folder = await temporaryDirectory()
  const machine = { devices: [join(folder.path, 'nvidiactl')], libraries: folder.path }
  expect(whyNoGpu(hidden, machine)).toBe('This machine has no GPU of NVIDIA, or its driver is not loaded.')
})

onLinux(
  'GPU files that are missing are named, then the first library that they need and that is not found',
  async () => {
    await using folder = await temporaryDirectory()
    const machine = { devices: [folder.path], libraries: folder.path }
    expect(whyNoGpu(hidden, machine)).toBe(
      `The GPU files of onnxruntime-node are missing: libonnxruntime_providers_shared.so, libonnxruntime_providers_cuda.so in ${folder.path}.`,
    )
    await writeFile(join(folder.path, 'libonnxruntime_providers_shared.so'), '')
    // Needs a library that lies beside it where it comes from.
    await copyFile(binding, join(folder.path, 'libonnxruntime_providers_cuda.so'))
    expect(whyNoGpu(hidden, machine)).toBe(
      'libonnxruntime.so.1 is not found: LD_LIBRARY_PATH must name the folders of CUDA and cuDNN.',
    )
    expect(whyNoGpu(withoutCudnn, machine)).toBe(
      'libcudnn.so is not found: LD_LIBRARY_PATH must name the folders of CUDA and cuDNN.',
    )
  },
)

/** Made up after the one of a hidden GPU. */
const outOfMemory = new Error('CUDA failure 2: out of memory ; GPU=0 ; hostname=vm ; expr=cudaMalloc(&p, size); ')

test.each([
  [hidden, 'CUDA reports: no CUDA-capable device is detected. CUDA_VISIBLE_DEVICES may hide it.'],
  [outOfMemory, 'CUDA reports: out of memory.'],
  [new Error('Not enough memory.'), 'The runtime reports: Not enough memory.'],
])('a failure of CUDA is reported without the code around it: %s', async (cause, reason) => {
  await using folder = await temporaryDirectory()
  for (const name of ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'])
    await writeFile(join(folder.path, name), '')
  expect(whyNoGpu(cause, { devices: [folder.path], libraries: folder.path })).toMatch(reason)
})
