// ThreadSanitizer suppressions for gRPC's callbacks, which the stand-ins use. Atomics in libraries
// that Debian builds without ThreadSanitizer pass them between threads. The listed functions are
// gRPC's own, compiled from its headers. The daemon uses none of this: one thread takes its calls
// from a queue, and it is checked completely. Do not list functions of ours here.
extern "C" const char* __tsan_default_suppressions() {
  return "race:^grpc::internal::CallOpSet\n"
         "race:^grpc::internal::CallOpSend\n"
         "race:^grpc::internal::CallOpServerSendStatus\n"
         "race:^grpc::internal::InterceptorBatchMethodsImpl\n"
         "race:^grpc::internal::CallbackWithSuccessTag::Set\n"
         "race:^grpc::internal::CallbackWithSuccessTag::Clear\n"
         "race_top:^grpc::internal::CallbackWithSuccessTag::Run\n"
         "race_top:^grpc::internal::Call::\n"
         "race_top:^grpc::internal::CallbackServerStreamingHandler\n"
         "race_top:^grpc::internal::CallbackUnaryHandler\n";
}
