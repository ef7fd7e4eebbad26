# serve answers all events of a session, which chibi writes to a resident plugin, one on each line. It passes each of
# them to answer, as if the plugin had been started for it.
serve() {
  export CHIBI_HOOK CHIBI_TOOL_NAME
  case $- in *e*) e=-e ;; *) e=+e ;; esac
  set +e # it holds in answer, and does not end serve
  while IFS= read -r line; do
    id=${line#*'"id":'} id=${id%%,*}
    case "$line" in
    '{"jsonrpc":"2.0","id":'"$id"',"method":"hook",'*)
      CHIBI_HOOK=${line#*',"point":"'} CHIBI_HOOK=${CHIBI_HOOK%%'"'*}
      data=${line#*',"payload":'}
      result=$(set $e; printf '%s\n' "${data%'}}'}" | answer)
      if [ $? = 0 ]; then
        case "$result" in *'
'*) result=$(printf '%s' "$result" | tr '\n' ' ') ;; esac
        result=\"result\":${result:-null}
      else
        result='"error":{"code":1,"message":"it failed"}'
      fi ;;
    *)
      CHIBI_HOOK='' CHIBI_TOOL_NAME=${line#*',"name":"'} CHIBI_TOOL_NAME=${CHIBI_TOOL_NAME%%'"'*}
      data=${line#*',"arguments":'}
      output=$(set $e; printf '%s\n' "${data%'}}'}" | answer)
      status=$?
      result=\"result\":$(printf '%s\n' "$output" | jq -Rsc --argjson s "$status" '{output: ., exit_code: $s}') ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result"
  done
}
