/**
 * Variables that commands get from the caller's environment. Everything else stays behind. Those of tempi are paths and no
 * secrets: without them `tempi list` inside a command would look at another home.
 */
const allowed = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TERM COLORTERM NO_COLOR
  VIRTUAL_ENV PYENV_ROOT PYENV_VERSION PIPX_HOME UV_CACHE_DIR
  JAVA_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT SDKMAN_DIR
  GOPATH GOROOT GOBIN CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN
  RBENV_ROOT GEM_HOME GEM_PATH BUN_INSTALL DENO_DIR PNPM_HOME VOLTA_HOME FNM_DIR FNM_MULTISHELL_PATH ASDF_DIR ASDF_DATA_DIR
  MISE_DATA_DIR HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE
  SSL_CERT_FILE SSL_CERT_DIR DOTNET_ROOT XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_DATA_DIRS
  XDG_CONFIG_DIRS XDG_RUNTIME_DIR
  TEMPI_HOME TEMPI_TEMPORAL_CLI`.split(/\s+/),
);

const allowedPrefixes = ["LC_", "CONDA_", "NVM_"];

/** Wins over both lists: a name that says secret is one, and these names make programs load other code. */
const forbidden =
  /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(_|$)|^(BASH_ENV|ENV|NODE_OPTIONS)$|^(LD|DYLD|GIT)_|^BASH_FUNC_/i;

/**
 * The part of an environment that commands may see: where things are and how to speak, no secrets, nothing that injects code.
 * Taken once, when a session starts.
 */
export function commandEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || forbidden.test(name)) continue;
    if (allowed.has(name) || allowedPrefixes.some((prefix) => name.startsWith(prefix))) result[name] = value;
  }
  return result;
}
