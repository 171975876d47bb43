import { readConfig } from '@trellis/kit/config'
import { expect, test } from 'vitest'
import { modelRuntimeConfig, musicConfig } from '../config.ts'
import { generationWorker } from './environment.ts'

/** The environment of a worker that a process with these variables starts. */
const environmentOf = (environment: Record<string, string>) =>
  generationWorker({
    files: { kind: 'directory', path: '/files' },
    workers: 1,
    modelRuntime: readConfig(musicConfig, environment),
  }).environment

test('a worker on this machine receives what its process knows of CUDA and GPUs, and nothing else', () => {
  const runtime = {
    MUSIC_MODEL_DEVICE: 'cuda',
    LD_LIBRARY_PATH: '/cuda/lib',
    CUDA_VISIBLE_DEVICES: '',
    NVIDIA_TF32_OVERRIDE: '0',
  }
  expect(Object.keys(runtime)).toEqual(Object.values(modelRuntimeConfig).map(({ variable }) => variable))
  expect(environmentOf({ ...runtime, MUSIC_WORKERS: '3' })).toEqual({
    ...runtime,
    TRELLIS_FILES: JSON.stringify({ kind: 'directory', path: '/files' }),
  })
})

test('a worker receives no variable that is unset', () => {
  expect(Object.keys(environmentOf({})).toSorted()).toEqual(['MUSIC_MODEL_DEVICE', 'TRELLIS_FILES'])
})
